{{/* Seconds that a pod is given to stop. */}}
{{- define "gsb.grace" -}}
{{- add .drain.preStopSeconds .drain.inflightSeconds .drain.flushSeconds 5 -}}
{{- end }}

{{/* The fewest pods that a service ever has. */}}
{{- define "gsb.minReplicas" -}}
{{- if eq .autoscaling.kind "none" }}{{ .replicas }}{{ else }}{{ .autoscaling.min }}{{ end -}}
{{- end }}

{{/* The most pods that a service ever has. */}}
{{- define "gsb.maxReplicas" -}}
{{- if eq .autoscaling.kind "none" }}{{ .replicas }}{{ else }}{{ .autoscaling.max }}{{ end -}}
{{- end }}
