{{/* The three probes of a service; all ask the ops port. */}}
{{- define "gsb.probes" -}}
{{- $paths := dict "startup" "startup" "readiness" "ready" "liveness" "live" -}}
{{- range $probe, $path := $paths }}
{{- $timing := index $.probes $probe }}
{{ $probe }}Probe:
  httpGet: { path: /health/{{ $path }}, port: ops }
  periodSeconds: {{ $timing.period }}
  failureThreshold: {{ $timing.failureThreshold }}
  timeoutSeconds: {{ $timing.timeout }}
{{- end }}
{{- end }}
