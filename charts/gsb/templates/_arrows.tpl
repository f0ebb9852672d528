{{/* The port of a URL. */}}
{{- define "gsb.urlPort" -}}
{{- $url := urlParse . -}}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" -}}
{{- default (ternary "443" "80" (eq $url.scheme "https")) $port -}}
{{- end }}

{{/* The brokers as another namespace finds them: a name without a dot is one of the release's namespace. */}}
{{- define "gsb.qualifiedBrokers" -}}
{{- $found := list -}}
{{- range .Values.kafka.brokers }}{{ $found = append $found (regexReplaceAll "^([^.:]+):" . (printf "${1}.%s.svc:" $.Release.Namespace)) }}{{ end -}}
{{- join "," $found -}}
{{- end }}

{{/* Egress rules of a part: list ROOT USES. Each names its peers, as an empty list would mean everywhere. */}}
{{- define "gsb.egress" -}}
{{- $values := (index . 0).Values }}{{ $uses := index . 1 -}}
- to: {{- toYaml $values.networkPolicy.dns | nindent 4 }}
  ports: [{ protocol: UDP, port: 53 }, { protocol: TCP, port: 53 }]
{{- if has "kafka" $uses }}
- to: {{- toYaml $values.kafka.peers | nindent 4 }}
  ports:
    {{- range $port := regexFindAll ":[0-9]+" (join "," $values.kafka.brokers) -1 | uniq | sortAlpha }}
    - { protocol: TCP, port: {{ trimPrefix ":" $port }} }
    {{- end }}
{{- if eq $values.kafka.sasl "oauthbearer" }}
- to: {{- toYaml (default dict $values.kafka.oauth).peers | nindent 4 }}
  ports: [{ protocol: TCP, port: {{ include "gsb.urlPort" (default dict $values.kafka.oauth).tokenUrl }} }]
{{- end }}
{{- end }}
{{- if has "redis" $uses }}
- to: {{- toYaml $values.redis.peers | nindent 4 }}
  ports:
    - { protocol: TCP, port: {{ $values.redis.port }} }
    {{- range $port := without (regexFindAll ":[0-9]+" (join "," (concat $values.redis.sentinels $values.redis.nodes)) -1 | uniq | sortAlpha) (printf ":%v" $values.redis.port) }}
    - { protocol: TCP, port: {{ trimPrefix ":" $port }} }
    {{- end }}
{{- end }}
{{- if has "postgres" $uses }}
- to: {{- toYaml $values.postgres.peers | nindent 4 }}
  ports:
    - { protocol: TCP, port: {{ $values.postgres.port }} }
    {{- if and (has "replica" $uses) (default dict $values.postgres.replica).host (ne (int $values.postgres.replica.port) (int $values.postgres.port)) }}
    - { protocol: TCP, port: {{ $values.postgres.replica.port }} }
    {{- end }}
{{- if and (has "pooler" $uses) (default dict $values.postgres.pooler).host }}
- to: {{- toYaml $values.postgres.pooler.peers | nindent 4 }}
  ports: [{ protocol: TCP, port: {{ $values.postgres.pooler.port }} }]
{{- end }}
{{- end }}
{{- $proxy := default dict $values.partner.proxy }}
{{- if and (has "partner" $uses) $proxy.url }}
- to: {{- toYaml $proxy.peers | nindent 4 }}
  ports: [{ protocol: TCP, port: {{ include "gsb.urlPort" $proxy.url }} }]
{{- else if or (has "partner" $uses) (has "simulator" $uses) }}
- to:
    {{- range $values.partner.cidrs }}
    - ipBlock: { cidr: {{ . }} }
    {{- end }}
    {{- with $values.partner.peers }}{{ toYaml . | nindent 4 }}{{ end }}
  ports: [{ protocol: TCP, port: {{ include "gsb.urlPort" $values.partner.baseUrl }} }]
{{- end }}
{{- if or (has "games" $uses) (has "operators" $uses) }}
- to:
    {{- range $values.networkPolicy.apiServer.cidrs }}
    - ipBlock: { cidr: {{ . }} }
    {{- end }}
  ports:
    {{- range $values.networkPolicy.apiServer.ports }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
{{- end }}
{{- if and (has "otel" $uses) $values.otel.endpoint }}
- to: {{- toYaml $values.otel.peers | nindent 4 }}
  ports: [{ protocol: TCP, port: {{ include "gsb.urlPort" $values.otel.endpoint }} }]
{{- end }}
{{- end }}

{{/* The jobs that run, by name: what each uses. */}}
{{- define "gsb.jobs" -}}
{{- if .Values.migrations.enabled }}
migrate: [postgres]
{{- end }}
{{- if eq .Values.kafka.provision "job" }}
topics: [kafka]
{{- end }}
{{- if .Values.closeDay.enabled }}
close-day: [postgres, partner, days]
{{- end }}
{{- if .Values.operators.console }}
console: [kafka, postgres, days, operators]
{{- end }}
{{- end }}
