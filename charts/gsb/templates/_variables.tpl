{{/*
What decides each variable of a service, as YAML: the key of the values that live takes it from alone. `env` comes after the chart's own
variables, and would set what no guard sees.
*/}}
{{- define "gsb.decidedBy" -}}
BIND_HOST: network.bindHost
CATALOG: catalogue.namespace
CATALOG_DIR: catalogue.namespace
CATALOG_NAMESPACE: catalogue.namespace
DATABASE_URL: postgres.host, postgres.port, postgres.database and postgres.tls
DRAIN_FLUSH_SEC: defaults.drain.flushSeconds
DRAIN_INFLIGHT_SEC: defaults.drain.inflightSeconds
HTTP_KEEP_ALIVE_SEC: defaults.http.keepAliveSeconds
HTTP_MAX_CONNECTIONS: defaults.http.maxConnections
HTTP_PORT: defaults.ports.http
KAFKA_BROKERS: kafka.brokers
KAFKA_BUNDLES: kafka.bundles
KAFKA_OAUTH_SCOPE: kafka.oauth.scope
KAFKA_OAUTH_TOKEN_URL: kafka.oauth.tokenUrl
KAFKA_PARTITIONS: kafka.partitions
KAFKA_SASL_MECHANISM: kafka.sasl
KAFKA_SASL_PASSWORD: kafka.existingSecret
KAFKA_SASL_USERNAME: kafka.existingSecret
KAFKA_TLS: kafka.tls
KAFKA_TLS_CERTIFICATE: kafka.mtls
KAFKA_TLS_KEY: kafka.mtls
LOG_LEVEL: logLevel
NODE_DEBUG: logLevel
NODE_EXTRA_CA_CERTS: trust.existingSecret
NODE_TLS_REJECT_UNAUTHORIZED: trust.existingSecret
NODE_USE_SYSTEM_CA: trust.secrets
SSL_CERT_DIR: trust.secrets
SSL_CERT_FILE: trust.secrets
OPS_PORT: defaults.ports.ops
OTEL_EXPORTER_OTLP_ENDPOINT: otel.endpoint
OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otel.endpoint
OTEL_RESOURCE_ATTRIBUTES: monitoring.environmentName
OTEL_TRACES_SAMPLER_ARG: otel.ratio
PARTNER_CHECKS_IN_FLIGHT: partner.inFlight.check
PARTNER_PROXY_PASSWORD: partner.proxy.existingSecret
PARTNER_PROXY_URL: partner.proxy.url
PARTNER_PROXY_USERNAME: partner.proxy.existingSecret
PARTNER_RENEWALS_IN_FLIGHT: partner.inFlight.renew
PARTNER_RETRIES_PER_SEC: partner.retriesPerSecond
PARTNER_STARTS_IN_FLIGHT: partner.inFlight.start
PARTNER_STOPS_IN_FLIGHT: partner.inFlight.stop
PARTNER_TOKEN: partner.existingSecret
PARTNER_URL: partner.baseUrl
POSTGRES_CLOSER_USERNAME: postgres.logins.closer
POSTGRES_POOLER: postgres.pooler.host
POSTGRES_REPLICA: postgres.replica.host
POSTGRES_READER_USERNAME: postgres.logins.reader
POSTGRES_SYNCHRONOUS: postgres.synchronous
POSTGRES_WRITER_PASSWORD: postgres.logins.writer
POSTGRES_WRITER_USERNAME: postgres.logins.writer
RATE_LIMITS: rateLimits.enabled
REDIS_MASTER: redis.master
REDIS_MODE: redis.mode
REDIS_NODES: redis.nodes
REDIS_PACKED: redis.packed
REDIS_PASSWORD: redis.logins
REDIS_SENTINELS: redis.sentinels
REDIS_SENTINEL_PASSWORD: redis.sentinelPasswordKey
REDIS_TLS: redis.tls
REDIS_URL: redis.host, redis.port and redis.tls
REDIS_USERNAME: redis.logins
SETTLEMENT_TIME_ZONE: closeDay.timeZone
SIGNED_AUTHORITIES: gateway.hostnames.launcher, ingress.hostnames.launcher or signedAuthorities
TRUSTED_CIDRS: clientIp.trustedCidrs
TRUSTED_HOPS: clientIp.trustedHops
{{- range $name := list "ENDED_MEMORY_SEC" "GRACE_SEC" "HEARTBEAT_INTERVAL_SEC" "LAUNCHER_SESSION_SEC" "LAUNCHER_SILENCE_SEC" "OTT_MEMORY_SEC" "OTT_TTL_SEC" "SESSION_EXPIRY_SEC" "SESSION_EXPIRY_SLACK_SEC" "UNBILLED_CAP_SEC" }}
{{ $name }}: limits.{{ $name }}
{{- end }}
{{- range $name := list "CAFE_PCS" "RATE_FAILURES_PER_ADDRESS" "RATE_FAILURES_PER_KEY" "RATE_GUESSES_PER_KEY" "RATE_STARTS_PER_ADDRESS" "RATE_STARTS_PER_PC" "RATE_TOKENS_PER_PC" "RATE_WRONG_TOKENS_PER_ADDRESS" }}
{{ $name }}: rateLimits.values.{{ $name }}
{{- end }}
{{- end }}

{{/* What Kubernetes, the chart or whoever runs a command says, and no value: the variable and what it is, as YAML. */}}
{{- define "gsb.saidElsewhere" -}}
INSTANCE_ID: the pod's name
KUBECONFIG: where the Kubernetes API is
KUBERNETES_SERVICE_HOST: where the Kubernetes API is
KUBERNETES_SERVICE_PORT: where the Kubernetes API is
OPERATOR_KEY: who runs a command
SCHEDULED_JOB: the name of a Job of the chart
{{- end }}

{{/* Whether a text is a secret, by the name that it has or by what it is: list NAME VALUE. Empty: it is not, or it comes from a Secret. */}}
{{- define "gsb.isSecret" -}}
{{- $value := index . 1 -}}
{{- if not (or (kindIs "map" $value) (kindIs "invalid" $value)) -}}
{{- $named := regexMatch "(?i)(^|_)(SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PWD?|TOKENS?|CREDENTIALS?|HEADERS|(PRIVATE|API|ACCESS|SECRET|ACCOUNT|SIGNING|ENCRYPTION|OPERATOR|LAUNCHER|GAME|CAFE)_?KEYS?|PGPASS[A-Z]*)([0-9_]|$)" (index . 0) -}}
{{- $path := regexMatch "(?i)_(FILE|PATH|DIR)$" (index . 0) -}}
{{- $telling := regexMatch "(?i)://[^/?#@]*:[^/?#@]*@|[?&;](password|pwd|token|secret|api_?key|sig)=|-----BEGIN|^(bearer|basic) |\\bgsb_[a-z0-9]+_[0-9a-z]{8}_[0-9a-z]{20}|\\bgsbl_[0-9a-z_-]{20}" (toString $value) -}}
{{- if or (and $named (not $path)) $telling }}true{{ end -}}
{{- end -}}
{{- end }}

{{/* What would set a variable past the guards, or write a secret into the values. */}}
{{- define "gsb.validate.live.variables" -}}
{{- $decided := include "gsb.decidedBy" . | fromYaml }}{{ $elsewhere := include "gsb.saidElsewhere" . | fromYaml -}}
{{- $from := dict "defaults" .Values.defaults -}}
{{- range $name, $own := .Values.services }}{{ $_ := set $from (printf "services.%s" $name) (default dict $own) }}{{ end -}}
{{- range $at, $settings := $from -}}
{{- range $variable, $value := default dict $settings.env -}}
{{- $key := printf "%s.env.%s" $at $variable -}}
{{- include "gsb.refuseIf" (list (hasKey $decided $variable) (printf "%s is a variable that live takes from its own key alone: take it out, and set %s" $key (index $decided $variable | default ""))) -}}
{{- include "gsb.refuseIf" (list (hasKey $elsewhere $variable) (printf "%s is %s, which live does not take from elsewhere: take it out" $key (index $elsewhere $variable | default ""))) -}}
{{- include "gsb.refuseIf" (list (hasPrefix "PG" $variable) (printf "%s is a variable of Postgres' driver that live takes from its own key alone: take it out, and set what is under postgres" $key)) -}}
{{- $text := ternary "a text that no guard sees" (toString $value) (kindIs "map" $value) -}}
{{- $opens := and (eq $variable "NODE_OPTIONS") (not (kindIs "invalid" $value)) (not (regexMatch "^ *(--(max[-_][a-z_-]+|v8-pool-size)=[0-9]+ *)*$" $text)) -}}
{{- include "gsb.refuseIf" (list $opens (printf "%s has %v, which live does not take: keep to options of memory, such as --max-old-space-size" $key $text)) -}}
{{- include "gsb.refuseIf" (list (include "gsb.isSecret" (list $variable $value)) (printf "%s is a secret in the values, which live does not take: give it as secretKeyRef" $key)) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* What a site adds to pods, and would go round the guards: volumes, mounts and containers of its own, and objects of the release. */}}
{{- define "gsb.validate.live.extras" -}}
{{- $from := dict "defaults" .Values.defaults "jobs" (default dict .Values.jobs) -}}
{{- range $name, $own := .Values.services }}{{ $_ := set $from (printf "services.%s" $name) (default dict $own) }}{{ end -}}
{{- range $at, $settings := $from -}}
{{- range $volume := default list $settings.extraVolumes -}}
{{- include "gsb.refuseIf" (list (hasKey $volume "hostPath") (printf "%s.extraVolumes has %s, a path of the node, which live does not take: take a volume of another kind" $at $volume.name)) -}}
{{- end -}}
{{- range $mount := default list $settings.extraVolumeMounts -}}
{{- $over := regexMatch "^/+((etc|app|nodejs|(var/)?run/secrets)(/|$)|var$|(var/)?run$|$)" (clean (printf "/%s" $mount.mountPath)) -}}
{{- include "gsb.refuseIf" (list $over (printf "%s.extraVolumeMounts has %s, where the image has the product, the chart its authorities and Kubernetes its token: mount it elsewhere" $at $mount.mountPath)) -}}
{{- end -}}
{{- range $list := list "extraContainers" "extraInitContainers" -}}
{{- range $container := default list (get $settings $list) -}}
{{- $key := printf "%s.%s has %s" $at $list $container.name -}}
{{- include "gsb.refuseIf" (list (not (regexMatch "@sha256:[0-9a-f]{64}$" $container.image)) (printf "%s without a digest, which live does not take: name its image with @sha256:…" $key)) -}}
{{- $security := default dict $container.securityContext -}}
{{- $mighty := or $security.privileged (not (eq (toString $security.allowPrivilegeEscalation) "false")) -}}
{{- include "gsb.refuseIf" (list $mighty (printf "%s, which may gain rights of the node: set its securityContext.allowPrivilegeEscalation to false, and privileged to false" $key)) -}}
{{- range $variable := default list $container.env -}}
{{- include "gsb.refuseIf" (list (include "gsb.isSecret" (list $variable.name $variable.value)) (printf "%s, whose env.%s is a secret in the values, which live does not take: give it as valueFrom.secretKeyRef" $key $variable.name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- include "gsb.validate.live.objects" . -}}
{{- end }}
