{{- define "gsb.base" -}}
{{- default .Release.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{/* What metrics and traces call this release's environment, by which alerts and boards tell one from another. */}}
{{- define "gsb.environmentName" -}}
{{- default .Values.environment .Values.monitoring.environmentName -}}
{{- end }}

{{/* The name of a part: list ROOT PART. */}}
{{- define "gsb.name" -}}
{{- printf "%s-%s" (include "gsb.base" (index . 0)) (index . 1) -}}
{{- end }}

{{/* A user of Kafka for a part: list ROOT PART GENERATION. */}}
{{- define "gsb.kafkaUser" -}}
{{- include "gsb.name" . }}{{ with index . 2 }}-{{ . }}{{ end -}}
{{- end }}

{{/* The one image; a digest wins over a tag, which stays readable beside it. */}}
{{- define "gsb.image" -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag -}}
{{- with .Values.image.registry }}{{ . }}/{{ end -}}
{{- .Values.image.repository }}:{{ $tag }}
{{- with .Values.image.digest }}@{{ . }}{{ end -}}
{{- end }}

{{/* The image of who plays in helm test, beside that of the product. */}}
{{- define "gsb.testImage" -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag -}}
{{- with .Values.image.registry }}{{ . }}/{{ end -}}
{{- default (printf "%s-simulators" .Values.image.repository) .Values.test.image.repository }}:{{ default $tag .Values.test.image.tag }}
{{- with .Values.test.image.digest }}@{{ . }}{{ end -}}
{{- end }}

{{/* The partitions of a topic: list ROOT TOPIC. Those of the contracts, or as many as kafka.partitions says; a topic of one stays so. */}}
{{- define "gsb.partitions" -}}
{{- $root := index . 0 -}}
{{- $least := (index ($root.Files.Get "files/topics.json" | fromJson).topics (index . 1)).partitions | int -}}
{{- if eq $least 1 }}1{{ else }}{{ max $least (int $root.Values.kafka.partitions) }}{{ end -}}
{{- end }}

{{/* Whether services sign in to Kafka; empty: they do not. */}}
{{- define "gsb.kafkaSignsIn" -}}
{{- if or .Values.kafka.mtls (has .Values.kafka.sasl (list "scram-sha-512" "oauthbearer")) }}true{{ end -}}
{{- end }}

{{/*
Where the brokers' authority is, as JSON, for KEDA, which takes one Secret: Strimzi's own where it is named, or all that services trust, or the
first that others keep.
*/}}
{{- define "gsb.kafkaAuthority" -}}
{{- $trust := .Values.trust }}{{ $found := dict -}}
{{- range $trust.secrets | reverse }}{{ $found = dict "name" .name "key" (default "ca.crt" .key) }}{{ end -}}
{{- with $trust.existingSecret }}{{ $found = dict "name" . "key" $trust.key }}{{ end -}}
{{- $strimzis := printf "%s-cluster-ca-cert" $.Values.kafka.strimzi.cluster -}}
{{- range $trust.secrets }}{{ if eq .name $strimzis }}{{ $found = dict "name" .name "key" (default "ca.crt" .key) }}{{ end }}{{ end -}}
{{- $found | toJson -}}
{{- end }}
