{{/* What selects the pods of a part: list ROOT PART. Never changes between versions. */}}
{{- define "gsb.selector" -}}
app.kubernetes.io/name: gsb
app.kubernetes.io/instance: {{ (index . 0).Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Labels of a resource: list ROOT PART. */}}
{{- define "gsb.labels" -}}
{{- $root := index . 0 -}}
{{ include "gsb.selector" . }}
app.kubernetes.io/part-of: gsb
app.kubernetes.io/version: {{ default $root.Chart.AppVersion $root.Values.image.tag | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ $root.Chart.Name }}-{{ $root.Chart.Version }}
gsb.dev/environment: {{ $root.Values.environment }}
{{- end }}
