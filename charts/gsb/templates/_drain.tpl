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

{{/*
The replicas of a Deployment: list ROOT PART SERVICE. Where KEDA decides they are set all the same, as without its HorizontalPodAutoscaler
there would be one pod: at least the minimum, and no fewer than there are. A HorizontalPodAutoscaler of ours keeps its minimum by itself.
*/}}
{{- define "gsb.replicas" -}}
{{- $root := index . 0 }}{{ $svc := index . 2 -}}
{{- if eq $svc.autoscaling.kind "none" }}{{ $svc.replicas }}{{ end -}}
{{- if eq $svc.autoscaling.kind "lag" -}}
{{- $live := lookup "apps/v1" "Deployment" $root.Release.Namespace (include "gsb.name" .) -}}
{{- max (int $svc.autoscaling.min) (dig "spec" "replicas" 0 $live | int) -}}
{{- end -}}
{{- end }}
