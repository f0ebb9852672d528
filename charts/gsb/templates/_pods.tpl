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

{{/* Where the pods of a part may stand: list ROOT PART SERVICE. */}}
{{- define "gsb.spread" -}}
{{- $root := index . 0 }}{{ $part := index . 1 }}{{ $svc := index . 2 -}}
{{- range $key, $label := dict "host" "kubernetes.io/hostname" "zone" "topology.kubernetes.io/zone" }}
{{- $when := index $svc.topologySpread $key }}
{{- if ne $when "none" }}
- topologyKey: {{ $label }}
  maxSkew: 1
  whenUnsatisfiable: {{ $when }}
  matchLabelKeys: [pod-template-hash]
  labelSelector:
    matchLabels: {{- include "gsb.selector" (list $root $part) | nindent 6 }}
{{- end }}
{{- end }}
{{- end }}

{{/* The pod of a Job: list ROOT PART USES ARGS. It may run before anything else of the release is there. */}}
{{- define "gsb.jobPod" -}}
{{- $root := index . 0 }}{{ $part := index . 1 -}}
metadata:
  labels: {{- include "gsb.labels" (list $root $part) | nindent 4 }}
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  {{- include "gsb.pod" (list $root 30) | nindent 2 }}
  containers:
    - name: {{ $part }}
      {{- include "gsb.container" $root | nindent 6 }}
      args: {{- toJson (index . 3) | nindent 8 }}
      env: {{- include "gsb.env.stores" . | include "gsb.env.list" | nindent 8 }}
      resources: {{- toYaml $root.Values.defaults.resources | nindent 8 }}
{{- end }}

{{/* Metadata of a Job that comes before the services: list ROOT PART WEIGHT. Without hooks its name changes with what it runs. */}}
{{- define "gsb.jobMeta" -}}
{{- $root := index . 0 }}{{ $name := include "gsb.name" . -}}
{{- $hooks := $root.Values.migrations.useHelmHooks -}}
name: {{ if $hooks }}{{ $name }}{{ else }}{{ $name }}-{{ list (include "gsb.image" $root) $root.Values.kafka $root.Values.postgres | toJson | sha256sum | trunc 8 }}{{ end }}
labels: {{- include "gsb.labels" . | nindent 2 }}
{{- if $hooks }}
annotations:
  helm.sh/hook: pre-install,pre-upgrade
  helm.sh/hook-weight: {{ index . 2 | quote }}
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
{{- end }}
