{{/* What all pods have in common: list ROOT GRACE. */}}
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
{{- with $root.Values.trust }}
{{- if .existingSecret }}
volumes:
  - name: trust
    secret: { secretName: {{ .existingSecret }}, items: [{ key: {{ .key }}, path: ca.crt }] }
{{- end }}
{{- end }}
{{- end }}

{{/* What all containers have in common: ROOT. */}}
{{- define "gsb.container" -}}
image: {{ include "gsb.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext: {{- include "gsb.containerSecurity" . | nindent 2 }}
{{- if .Values.trust.existingSecret }}
volumeMounts:
  - { name: trust, mountPath: /etc/gsb/trust, readOnly: true }
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
