{{/*
The environment of a part, as JSON of name to text or source: list ROOT PART USES.
*/}}
{{- define "gsb.env.stores" -}}
{{- $root := index . 0 }}{{ $uses := index . 2 }}{{ $env := dict -}}
{{- if has "kafka" $uses }}{{ $env = merge $env (include "gsb.env.kafka" . | fromJson) }}{{ end -}}
{{- if has "redis" $uses }}{{ $env = merge $env (include "gsb.env.redis" . | fromJson) }}{{ end -}}
{{- if has "postgres" $uses }}{{ $env = merge $env (include "gsb.env.postgres" . | fromJson) }}{{ end -}}
{{- if has "partner" $uses }}{{ $env = merge $env (include "gsb.env.partner" $root | fromJson) }}{{ end -}}
{{- if has "days" $uses }}{{ $_ := set $env "SETTLEMENT_TIME_ZONE" $root.Values.closeDay.timeZone }}{{ end -}}
{{- if $root.Values.trust.existingSecret }}{{ $_ := set $env "NODE_EXTRA_CA_CERTS" "/etc/gsb/trust/ca.crt" }}{{ end -}}
{{- if $root.Values.trust.secrets }}{{ $env = merge $env (dict "NODE_USE_SYSTEM_CA" "1" "SSL_CERT_DIR" "/etc/gsb/authorities") }}{{ end -}}
{{- $env | toJson -}}
{{- end }}

{{- define "gsb.env.kafka" -}}
{{- $kafka := (index . 0).Values.kafka -}}
{{- $env := dict "KAFKA_BROKERS" (join "," $kafka.brokers) "KAFKA_TLS" (toString $kafka.tls) -}}
{{- if not $kafka.bundles }}{{ $_ := set $env "KAFKA_BUNDLES" "false" }}{{ end -}}
{{- $own := and (eq $kafka.provision "strimzi") (not $kafka.existingSecret) -}}
{{- $user := include "gsb.kafkaUser" (list (index . 0) (index . 1) (last $kafka.strimzi.users)) -}}
{{- $secret := ternary $user $kafka.existingSecret (not (not $own)) -}}
{{- if $kafka.mtls -}}
{{- range $variable, $key := dict "KAFKA_TLS_CERTIFICATE" (ternary "user.crt" "tls.crt" $own) "KAFKA_TLS_KEY" (ternary "user.key" "tls.key" $own) -}}
{{- $_ := set $env $variable (dict "secretKeyRef" (dict "name" $secret "key" $key)) -}}
{{- end -}}
{{- end -}}
{{- if eq $kafka.sasl "oauthbearer" -}}
{{- $_ := set $env "KAFKA_OAUTH_TOKEN_URL" (default dict $kafka.oauth).tokenUrl -}}
{{- with (default dict $kafka.oauth).scope }}{{ $_ := set $env "KAFKA_OAUTH_SCOPE" . }}{{ end -}}
{{- end -}}
{{- if ne $kafka.sasl "none" -}}
{{- $password := dict "secretKeyRef" (dict "name" $secret "key" "password") -}}
{{- $username := dict "secretKeyRef" (dict "name" $secret "key" "username") -}}
{{- $_ := set $env "KAFKA_SASL_MECHANISM" $kafka.sasl -}}
{{- $_ := set $env "KAFKA_SASL_PASSWORD" (ternary $kafka.password $password (eq $secret "")) -}}
{{- $_ := set $env "KAFKA_SASL_USERNAME" (ternary $kafka.username $username (eq $secret "")) -}}
{{- if $own }}{{ $_ := set $env "KAFKA_SASL_USERNAME" $user }}{{ end -}}
{{- end -}}
{{- $env | toJson -}}
{{- end }}

{{/* User and password stand beside the address, so that they may hold any characters. */}}
{{- define "gsb.env.redis" -}}
{{- $redis := (index . 0).Values.redis }}{{ $login := index $redis.logins (index . 1) | default "" -}}
{{- $env := dict -}}
{{- if eq $redis.mode "sentinel" -}}
{{- $env = dict "REDIS_MODE" "sentinel" "REDIS_SENTINELS" (join "," $redis.sentinels) "REDIS_MASTER" $redis.master "REDIS_TLS" (toString $redis.tls) -}}
{{- else if eq $redis.mode "cluster" -}}
{{- $env = dict "REDIS_MODE" "cluster" "REDIS_NODES" (join "," $redis.nodes) "REDIS_TLS" (toString $redis.tls) -}}
{{- else -}}
{{- $_ := set $env "REDIS_URL" (printf "%s://%s:%v" (ternary "rediss" "redis" $redis.tls) $redis.host $redis.port) -}}
{{- end -}}
{{- if $redis.packed }}{{ $_ := set $env "REDIS_PACKED" "true" }}{{ end -}}
{{- if $redis.existingSecret -}}
{{- range $variable, $key := dict "REDIS_USERNAME" $redis.usernameKey "REDIS_PASSWORD" $redis.passwordKey "REDIS_SENTINEL_PASSWORD" $redis.sentinelPasswordKey -}}
{{- if $key }}{{ $_ := set $env $variable (dict "secretKeyRef" (dict "name" $redis.existingSecret "key" $key)) }}{{ end -}}
{{- end -}}
{{- else if $redis.password -}}
{{- $_ := set $env "REDIS_PASSWORD" $redis.password -}}
{{- end -}}
{{- if $login }}{{ $env = mergeOverwrite $env (include "gsb.env.login" (list "REDIS_USERNAME" "REDIS_PASSWORD" $login) | fromJson) }}{{ end -}}
{{- $env | toJson -}}
{{- end }}

{{/* A user and a password of a Secret that has these two, as JSON: list VARIABLE VARIABLE SECRET. */}}
{{- define "gsb.env.login" -}}
{{- $secret := index . 2 -}}
{{- dict
  (index . 0) (dict "secretKeyRef" (dict "name" $secret "key" "username"))
  (index . 1) (dict "secretKeyRef" (dict "name" $secret "key" "password")) | toJson -}}
{{- end }}

{{/* The owner of the ledger for the migration, and for the others the roles that it gives rights to, where there are any: list ROOT PART. */}}
{{- define "gsb.env.postgres" -}}
{{- $postgres := (index . 0).Values.postgres }}{{ $part := index . 1 }}{{ $logins := default dict $postgres.logins -}}
{{- $user := dict "secretKeyRef" (dict "name" $postgres.existingSecret "key" $postgres.usernameKey) -}}
{{- $password := dict "secretKeyRef" (dict "name" $postgres.existingSecret "key" $postgres.passwordKey) -}}
{{- $inline := eq $postgres.existingSecret "" -}}
{{- $at := printf "%s:%v/%s" $postgres.host $postgres.port $postgres.database -}}
{{- $env := dict
  "DATABASE_URL" (printf "postgres://%s%s" $at (ternary "?sslmode=verify-full" "" $postgres.tls))
  "PGPASSWORD" (ternary $postgres.password $password $inline)
  "PGUSER" (ternary $postgres.username $user $inline) -}}
{{- if $logins.reader -}}
{{- if eq $part "migrate" -}}
{{- range $role, $secret := $logins }}{{ $_ := set $env (printf "POSTGRES_%s_USERNAME" (upper $role)) (dict "secretKeyRef" (dict "name" $secret "key" "username")) }}{{ end -}}
{{- else -}}
{{- $own := ternary $logins.closer $logins.reader (eq $part "close-day") -}}
{{- $env = mergeOverwrite $env (include "gsb.env.login" (list "PGUSER" "PGPASSWORD" $own) | fromJson) -}}
{{- if eq $part "settlement" }}{{ $env = merge $env (include "gsb.env.login" (list "POSTGRES_WRITER_USERNAME" "POSTGRES_WRITER_PASSWORD" $logins.writer) | fromJson) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $env | toJson -}}
{{- end }}

{{- define "gsb.env.partner" -}}
{{- $partner := .Values.partner -}}
{{- $token := dict "secretKeyRef" (dict "name" $partner.existingSecret "key" $partner.tokenKey) -}}
{{- $env := dict
  "PARTNER_TOKEN" (ternary $partner.token $token (eq $partner.existingSecret ""))
  "PARTNER_URL" $partner.baseUrl -}}
{{- with default dict $partner.proxy -}}
{{- if .url }}{{ $_ := set $env "PARTNER_PROXY_URL" .url }}{{ end -}}
{{- if .existingSecret }}{{ $env = merge $env (include "gsb.env.login" (list "PARTNER_PROXY_USERNAME" "PARTNER_PROXY_PASSWORD" .existingSecret) | fromJson) }}{{ end -}}
{{- end -}}
{{- $env | toJson -}}
{{- end }}

{{/*
The authorities that launchers sign: the host names of the launcher API, those that the site names, and the Service, as a journey inside the
cluster has it. None where the site names none, and nothing is routed or a host name is a wildcard: list ROOT PART.
*/}}
{{- define "gsb.authorities" -}}
{{- $root := index . 0 }}{{ $hosts := list -}}
{{- range $edge := list $root.Values.gateway $root.Values.ingress -}}
{{- if $edge.enabled }}{{ $hosts = concat $hosts $edge.hostnames.launcher }}{{ end -}}
{{- end -}}
{{- $wild := contains "*" (join "," $hosts) }}{{ $named := default list $root.Values.signedAuthorities -}}
{{- if or $named (and $hosts (not $wild)) -}}
{{- $plain := list (include "gsb.name" .) -}}
{{- range concat $hosts $named | uniq | reverse }}{{ if not (contains "*" .) }}{{ $plain = prepend $plain . }}{{ end }}{{ end -}}
{{- join "," $plain -}}
{{- end -}}
{{- end }}

{{/* Where Games and Operators are, as JSON. */}}
{{- define "gsb.env.catalogue" -}}
{{- $env := dict "CATALOG" "kubernetes" -}}
{{- with .Values.catalogue.namespace }}{{ $_ := set $env "CATALOG_NAMESPACE" . }}{{ end -}}
{{- $env | toJson -}}
{{- end }}

{{/* The environment of a service, as JSON: list ROOT PART USES SERVICE OWN. */}}
{{- define "gsb.env.service" -}}
{{- $root := index . 0 }}{{ $uses := index . 2 }}{{ $svc := index . 3 -}}
{{- $env := include "gsb.env.stores" . | fromJson -}}
{{- $_ := set $env "OPS_PORT" (toString $svc.ports.ops) -}}
{{- $_ := set $env "BIND_HOST" $root.Values.network.bindHost -}}
{{- $_ := set $env "LOG_LEVEL" $root.Values.logLevel -}}
{{- $_ := set $env "DRAIN_INFLIGHT_SEC" (toString $svc.drain.inflightSeconds) -}}
{{- $_ := set $env "DRAIN_FLUSH_SEC" (toString $svc.drain.flushSeconds) -}}
{{- $_ := set $env "INSTANCE_ID" (dict "fieldRef" (dict "fieldPath" "metadata.name")) -}}
{{- if ne $svc.expose "none" -}}
{{- $_ := set $env "HTTP_PORT" (toString $svc.ports.http) -}}
{{- $_ := set $env "HTTP_KEEP_ALIVE_SEC" ($svc.http.keepAliveSeconds | int64 | toString) -}}
{{- $_ := set $env "HTTP_MAX_CONNECTIONS" ($svc.http.maxConnections | int64 | toString) -}}
{{- end -}}
{{- if has "partner" $uses -}}
{{- with $root.Values.partner.inFlight -}}
{{- $_ := set $env "PARTNER_CHECKS_IN_FLIGHT" (.check | int64 | toString) -}}
{{- $_ := set $env "PARTNER_STARTS_IN_FLIGHT" (.start | int64 | toString) -}}
{{- $_ := set $env "PARTNER_RENEWALS_IN_FLIGHT" (.renew | int64 | toString) -}}
{{- $_ := set $env "PARTNER_STOPS_IN_FLIGHT" (.stop | int64 | toString) -}}
{{- end -}}
{{- $_ := set $env "PARTNER_RETRIES_PER_SEC" ($root.Values.partner.retriesPerSecond | int64 | toString) -}}
{{- end -}}
{{- if has "postgres" $uses -}}
{{- range $variable, $server := dict "POSTGRES_POOLER" (default dict $root.Values.postgres.pooler) "POSTGRES_REPLICA" (default dict $root.Values.postgres.replica) -}}
{{- if $server.host }}{{ $_ := set $env $variable (printf "%s:%v" $server.host $server.port) }}{{ end -}}
{{- end -}}
{{- $_ := set $env "POSTGRES_SYNCHRONOUS" (ternary "required" "optional" $root.Values.postgres.synchronous) -}}
{{- end -}}
{{- if has "limits" $uses -}}
{{- range $limit, $seconds := $root.Values.limits }}{{ $_ := set $env $limit ($seconds | int64 | toString) }}{{ end -}}
{{- end -}}
{{- if or (has "games" $uses) (has "operators" $uses) -}}
{{- $env = merge $env (include "gsb.env.catalogue" $root | fromJson) -}}
{{- end -}}
{{- if has $svc.expose (list "launcher" "game") -}}
{{- $_ := set $env "RATE_LIMITS" (ternary "on" "off" $root.Values.rateLimits.enabled) -}}
{{- range $limit, $rate := $root.Values.rateLimits.values }}{{ $_ := set $env $limit (toString $rate) }}{{ end -}}
{{- end -}}
{{- if eq $svc.expose "launcher" -}}
{{- with include "gsb.authorities" (list $root (index . 1)) }}{{ $_ := set $env "SIGNED_AUTHORITIES" . }}{{ end -}}
{{- end -}}
{{- if and (has $svc.expose (list "launcher" "game")) (eq $root.Values.clientIp.mode "gateway") -}}
{{- $_ := set $env "TRUSTED_HOPS" (toString $root.Values.clientIp.trustedHops) -}}
{{- $_ := set $env "TRUSTED_CIDRS" (join "," $root.Values.clientIp.trustedCidrs) -}}
{{- end -}}
{{- with $root.Values.otel -}}
{{- if .endpoint -}}
{{- $_ := set $env "OTEL_EXPORTER_OTLP_ENDPOINT" .endpoint -}}
{{- $_ := set $env "OTEL_TRACES_SAMPLER_ARG" (toString .ratio) -}}
{{- $_ := set $env "OTEL_RESOURCE_ATTRIBUTES" (printf "deployment.environment.name=%s" (include "gsb.environmentName" $root)) -}}
{{- end -}}
{{- end -}}
{{- range $from := list $root.Values.defaults.env (default dict (index . 4).env) -}}
{{- range $name, $value := $from -}}
{{- if kindIs "invalid" $value }}{{ $_ := unset $env $name }}{{ else }}{{ $_ := set $env $name $value }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $env | toJson -}}
{{- end }}

{{/* An environment of JSON as a list of a container. */}}
{{- define "gsb.env.list" -}}
{{- range $name, $value := fromJson . }}
- name: {{ $name }}
{{- if kindIs "map" $value }}
  valueFrom: {{ toYaml $value | nindent 4 }}
{{- else }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/*
What the Secrets of an environment and the authorities hold now, as a few digits: list ROOT ENV. Empty where no cluster can be asked. Few
digits, since whoever reads a pod must not learn to recognize a password.
*/}}
{{- define "gsb.secretsSum" -}}
{{- $root := index . 0 }}{{ $names := list $root.Values.trust.existingSecret }}{{ $held := dict -}}
{{- range $root.Values.trust.secrets }}{{ $names = append $names .name }}{{ end -}}
{{- range $value := index . 1 | fromJson -}}
{{- if kindIs "map" $value }}{{ $names = append $names (dig "secretKeyRef" "name" "" $value) }}{{ end -}}
{{- end -}}
{{- range $name := $names | uniq | compact -}}
{{- with lookup "v1" "Secret" $root.Release.Namespace $name }}{{ $_ := set $held $name (list .metadata.uid .data) }}{{ end -}}
{{- end -}}
{{- if $held }}{{ $held | toJson | sha256sum | trunc 8 }}{{ end -}}
{{- end }}
