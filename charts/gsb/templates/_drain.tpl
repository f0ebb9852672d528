{{/* Seconds that a pod is given to stop. */}}
{{- define "gsb.grace" -}}
{{- add .drain.preStopSeconds .drain.inflightSeconds .drain.flushSeconds 5 -}}
{{- end }}

{{/*
Limits within which an absence of ours that is shorter than the 30 s of D-11 costs players their sessions, as a sentence. Empty: there are none.
*/}}
{{- define "gsb.shortLimits" -}}
{{- $limits := merge (dict) (default dict .Values.limits) (dict "HEARTBEAT_INTERVAL_SEC" 120 "SESSION_EXPIRY_SEC" 240 "LAUNCHER_SILENCE_SEC" 240) -}}
{{- $least := add 30 (int $limits.HEARTBEAT_INTERVAL_SEC) }}{{ $short := list -}}
{{- range $name := list "LAUNCHER_SILENCE_SEC" "SESSION_EXPIRY_SEC" -}}
{{- if lt (int (index $limits $name)) (int $least) }}{{ $short = append $short (printf "limits.%s is %d" $name (int (index $limits $name))) }}{{ end -}}
{{- end -}}
{{- with $short }}{{ printf "%s, less than HEARTBEAT_INTERVAL_SEC and 30 together (%d): while a lone pod of game-session is killed and back, players lose their sessions who could not reach it. Keep them longer, or the limits of the specification." (join " and " .) (int $least) }}{{ end -}}
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
