{{/* What all pods have in common: list ROOT GRACE VOLUMES. */}}
{{- define "gsb.pod" -}}
{{- $root := index . 0 -}}
enableServiceLinks: false
terminationGracePeriodSeconds: {{ index . 1 }}
securityContext: {{- include "gsb.podSecurity" $root | nindent 2 }}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- $volumes := list -}}
{{- with $root.Values.trust.existingSecret }}
{{- $items := list (dict "key" $root.Values.trust.key "path" "ca.crt") }}
{{- $volumes = append $volumes (dict "name" "trust" "secret" (dict "secretName" . "items" $items)) }}
{{- end }}
{{- with $root.Values.trust.secrets }}
{{- $sources := list }}
{{- range . }}
{{- $items := list (dict "key" (default "ca.crt" .key) "path" (printf "%s.crt" .name)) }}
{{- $sources = append $sources (dict "secret" (dict "name" .name "items" $items)) }}
{{- end }}
{{- $volumes = append $volumes (dict "name" "authorities" "projected" (dict "sources" $sources)) }}
{{- end }}
{{- with concat $volumes (index . 2) }}
volumes: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What all containers of the product have in common: list ROOT MOUNTS. */}}
{{- define "gsb.container" -}}
image: {{ include "gsb.image" (index . 0) }}
{{ include "gsb.containerOf" . }}
{{- end }}

{{/* What all containers have in common, but the image: list ROOT MOUNTS. */}}
{{- define "gsb.containerOf" -}}
{{- $root := index . 0 -}}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
securityContext: {{- include "gsb.containerSecurity" $root | nindent 2 }}
{{- $mounts := list -}}
{{- if $root.Values.trust.existingSecret }}
{{- $mounts = append $mounts (dict "name" "trust" "mountPath" "/etc/gsb/trust" "readOnly" true) }}
{{- end }}
{{- if $root.Values.trust.secrets }}
{{- $mounts = append $mounts (dict "name" "authorities" "mountPath" "/etc/gsb/authorities" "readOnly" true) }}
{{- end }}
{{- with concat $mounts (index . 1) }}
volumeMounts: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Which nodes take a pod, and which pods go first: SETTINGS. */}}
{{- define "gsb.scheduling" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{/* Where the pods of a part may stand: list ROOT PART SERVICE. */}}
{{- define "gsb.spread" -}}
{{- $root := index . 0 }}{{ $part := index . 1 }}{{ $svc := index . 2 -}}
{{- range $key, $label := dict "host" "kubernetes.io/hostname" "zone" "topology.kubernetes.io/zone" }}
{{- $when := index $svc.topologySpread $key }}
{{- if ne $when "none" }}
- topologyKey: {{ $label }}
  maxSkew: 1
  whenUnsatisfiable: {{ $when }}
  # A zone whose nodes do not take these pods would count as an empty one, and no pod could be added.
  nodeTaintsPolicy: Honor
  matchLabelKeys: [pod-template-hash]
  labelSelector:
    matchLabels: {{- include "gsb.selector" (list $root $part) | nindent 6 }}
{{- end }}
{{- end }}
{{- end }}
