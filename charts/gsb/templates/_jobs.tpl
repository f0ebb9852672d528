{{/* Settings of the pods that run to their end, as JSON: those of all pods, and what `jobs` sets otherwise or besides. */}}
{{- define "gsb.jobSettings" -}}
{{- $keys := list "podAnnotations" "podLabels" "nodeSelector" "tolerations" "priorityClassName" "resources" -}}
{{- $inherited := dict "extraInitContainers" list "extraVolumes" list "extraVolumeMounts" list -}}
{{- range $keys }}{{ $_ := set $inherited . (index $.Values.defaults .) }}{{ end -}}
{{- mergeOverwrite (deepCopy $inherited) (default dict .Values.jobs) | toJson -}}
{{- end }}

{{/* The pod of a Job: list ROOT PART USES ARGS. It may run before anything else of the release is there. */}}
{{- define "gsb.jobPod" -}}
{{- $root := index . 0 }}{{ $part := index . 1 -}}
{{- $settings := include "gsb.jobSettings" $root | fromJson -}}
metadata:
  labels:
    {{- include "gsb.labels" (list $root $part) | nindent 4 }}
    {{- with $settings.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- with $settings.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  restartPolicy: Never
  {{- if eq $part "console" }}
  # Whoever runs a command shows a key, which is looked up among the Operators.
  serviceAccountName: {{ include "gsb.name" (list $root "settlement") }}
  {{- end }}
  automountServiceAccountToken: {{ eq $part "console" }}
  {{- include "gsb.pod" (list $root 30 $settings.extraVolumes) | nindent 2 }}
  {{- with include "gsb.scheduling" $settings | trim }}{{ . | nindent 2 }}{{ end }}
  {{- with $settings.extraInitContainers }}
  initContainers: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ $part }}
      {{- include "gsb.container" (list $root $settings.extraVolumeMounts) | nindent 6 }}
      args: {{- toJson (index . 3) | nindent 8 }}
      env: {{- include "gsb.env.job" . | include "gsb.env.list" | nindent 8 }}
      resources: {{- toYaml $settings.resources | nindent 8 }}
{{- end }}

{{/* The environment of a Job, as JSON: list ROOT PART USES. */}}
{{- define "gsb.env.job" -}}
{{- $env := include "gsb.env.stores" . | fromJson -}}
{{- if eq (index . 1) "close-day" }}{{ $_ := set $env "SCHEDULED_JOB" (include "gsb.name" .) }}{{ end -}}
{{- if eq (index . 1) "console" }}{{ $env = merge $env (include "gsb.env.catalogue" (index . 0) | fromJson) }}{{ end -}}
{{- if eq (index . 1) "topics" -}}
{{- $kafka := (index . 0).Values.kafka -}}
{{- $_ := set $env "KAFKA_PARTITIONS" (toString $kafka.partitions) -}}
{{- if gt (int $kafka.replicationFactor) 1 -}}
{{- $_ := set $env "KAFKA_REPLICATION_FACTOR" (toString $kafka.replicationFactor) -}}
{{- $_ := set $env "KAFKA_MIN_INSYNC_REPLICAS" (toString $kafka.minInsyncReplicas) -}}
{{- end -}}
{{- end -}}
{{- $env | toJson -}}
{{- end }}

{{/* A hook before install and upgrade: WEIGHT. */}}
{{- define "gsb.hook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}

{{/*
A Job that comes before the services: list ROOT PART WEIGHT USES ARGS. Without hooks its name is made of all that it is: a Job cannot be
changed, so another Job has another name.
*/}}
{{- define "gsb.job" -}}
{{- $root := index . 0 }}{{ $hooks := $root.Values.migrations.useHelmHooks -}}
{{- $pod := include "gsb.jobPod" (list $root (index . 1) (index . 3) (index . 4)) -}}
{{- $deadline := $root.Values.migrations.activeDeadlineSeconds -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "gsb.name" . }}{{ if not $hooks }}-{{ printf "%v %s" $deadline $pod | sha256sum | trunc 8 }}{{ end }}
  labels: {{- include "gsb.labels" . | nindent 4 }}
  {{- if $hooks }}
  annotations: {{- include "gsb.hook" (index . 2) | nindent 4 }}
  {{- end }}
spec:
  backoffLimit: 5
  activeDeadlineSeconds: {{ $deadline }}
  template: {{- $pod | nindent 4 }}
{{- end }}
