{{/* Whether a reference to a Gateway names no listener, or one that is called as plain HTTP is: its parentRef. Empty: it does not. */}}
{{- define "gsb.plainListener" -}}
{{- if regexMatch "^(|web|(.*-)?(http|insecure|plain|80))$" (default "" .sectionName) }}true{{ end -}}
{{- end }}

{{/* What would let API keys travel in plain text. */}}
{{- define "gsb.validate.live.edge" -}}
{{- $v := .Values -}}
{{- if $v.gateway.enabled -}}
{{- range $v.gateway.parentRefs -}}
{{- $plain := include "gsb.plainListener" . -}}
{{- include "gsb.refuseIf" (list $plain (printf "gateway.parentRefs names no HTTPS listener of %s: the routes would be served over plain HTTP too, with the API keys in it; set its sectionName, such as https" .name)) -}}
{{- end -}}
{{- end -}}
{{- range $api := list "launcher" "game" -}}
{{- $plain := and $v.ingress.enabled (not (index $v.ingress.tlsSecrets $api)) -}}
{{- include "gsb.refuseIf" (list $plain (printf "ingress.tlsSecrets.%s is empty: the API would be served over plain HTTP, with the API keys in it; name the Secret with its certificate" $api)) -}}
{{- end -}}
{{- end }}

{{/* What would let a request that was signed for another host be taken for ours. */}}
{{- define "gsb.validate.live.authorities" -}}
{{- range $name, $own := .Values.services -}}
{{- $any := and $own.enabled (eq $own.expose "launcher") (not (include "gsb.authorities" (list $ $name))) -}}
{{- include "gsb.refuseIf" (list $any "signedAuthorities is empty, and gateway.hostnames.launcher and ingress.hostnames.launcher say no host, or one with a wildcard: what a launcher signed for another host would be taken; list the hosts that launchers call") -}}
{{- end -}}
{{- end }}

{{/* What would make live wider or weaker than it looks. */}}
{{- define "gsb.validate.live.reach" -}}
{{- $v := .Values -}}
{{- range $key, $cidrs := include "gsb.cidrs" . | fromJson -}}
{{- range $cidr := $cidrs -}}
{{- $bits := splitList "/" $cidr | last | int }}{{ $public := not (include "gsb.isPrivate" $cidr) -}}
{{- include "gsb.refuseIf" (list (and $public (lt $bits 8)) (printf "%s has %s, which is a large part of the world: name the addresses, no range wider than /8" $key $cidr)) -}}
{{- if eq $key "clientIp.trustedCidrs" -}}
{{- $narrowest := ternary (ternary 112 32 (regexMatch "^0*:" $cidr)) 16 (contains ":" $cidr) -}}
{{- include "gsb.refuseIf" (list (and $public (lt $bits $narrowest)) (printf "clientIp.trustedCidrs has %s: whoever speaks from these public addresses could name any address as its own; name the gateway's, no range wider than /%d" $cidr $narrowest)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $shared := eq .Release.Namespace (default .Release.Namespace $v.catalogue.namespace) -}}
{{- include "gsb.refuseIf" (list $shared "catalogue.namespace is the release's own: launcher-gateway, which lists the Secrets of that namespace, could read those of the stores; give Games and launcher keys a namespace of their own") -}}
{{- include "gsb.refuseIf" (list (not $v.postgres.synchronous) "postgres.synchronous is false: live needs commits that a standby has, or the loss of the primary is a loss of seconds; name a standby in Postgres' synchronous_standby_names, and set it to true") -}}
{{- $backup := default dict $v.postgres.backup -}}
{{- $plain := and $backup.enabled (hasPrefix "http://" (default "" $backup.endpointUrl)) -}}
{{- include "gsb.refuseIf" (list $plain "postgres.backup.endpointUrl is not https, which live needs: the ledger would travel in plain text; give the object store's https:// address") -}}
{{- $lost := and $v.monitoring.rules.enabled (not $v.monitoring.docsUrl) -}}
{{- include "gsb.refuseIf" (list $lost "monitoring.docsUrl is empty: whoever an alert wakes could not open its runbook; give the address at which the files of this release can be read") -}}
{{- if ne $v.kafka.provision "none" -}}
{{- include "gsb.refuseIf" (list (lt (int $v.kafka.replicationFactor) 3) (printf "kafka.replicationFactor is %v: live needs 3 copies of each partition, or the loss of a broker is a loss of events" $v.kafka.replicationFactor)) -}}
{{- include "gsb.refuseIf" (list (lt (int $v.kafka.minInsyncReplicas) 2) (printf "kafka.minInsyncReplicas is %v: live needs 2, or an event counts as written that one broker has" $v.kafka.minInsyncReplicas)) -}}
{{- include "gsb.refuseIf" (list (eq (int $v.kafka.minInsyncReplicas) (int $v.kafka.replicationFactor)) (printf "kafka.minInsyncReplicas is %v, as many as there are copies: one broker that restarts would stop every write; lower it to %d, or raise kafka.replicationFactor" $v.kafka.minInsyncReplicas (sub (int $v.kafka.replicationFactor) 1))) -}}
{{- end -}}
{{- end }}

{{/* An amount of memory as text, and in MiB. */}}
{{- define "gsb.quantity" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ int64 . }}{{ end -}}
{{- end }}
{{- define "gsb.mebibytes" -}}
{{- $number := regexFind "^[0-9.]+([eE][0-9]+)?" . -}}
{{- $bytes := dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- divf (mulf (float64 $number) (float64 (get $bytes (trimPrefix $number .)))) 1048576 -}}
{{- end }}

{{- define "gsb.validate.live" -}}
{{- $v := .Values -}}
{{- include "gsb.refuseIf" (list (eq $v.image.tag "latest") "image.tag is latest, which live does not take: name the version") -}}
{{- include "gsb.refuseIf" (list (not $v.image.digest) "image.digest is empty, which live does not take: give the image's sha256:… (--set image.digest=…)") -}}
{{- include "gsb.refuseIf" (list (and $v.test.enabled (not $v.test.image.digest)) "test.image.digest is empty, which live does not take: give the sha256:… of the simulators' image, or set test.enabled to false") -}}
{{- include "gsb.refuseIf" (list (eq $v.logLevel "debug") "logLevel is debug, which live does not take: set info") -}}
{{- include "gsb.refuseIf" (list (not $v.rateLimits.enabled) "rateLimits.enabled is false, which live does not take: set it to true, and raise what is too low in rateLimits.values") -}}
{{- range $part, $field := dict "kafka" "password" "redis" "password" "postgres" "password" "partner" "token" -}}
{{- include "gsb.refuseIf" (list (ne (index $v $part $field) "") (printf "%s.%s is a secret in the values, which live does not take: put it into a Secret and name that in %s.existingSecret" $part $field $part)) -}}
{{- end -}}
{{- include "gsb.refuseIf" (list (not (include "gsb.kafkaSignsIn" .)) "kafka.sasl is none: live needs scram-sha-512 or oauthbearer, or kafka.mtls, with a user for each service") -}}
{{- include "gsb.refuseIf" (list (hasPrefix "http://" (default "" (default dict $v.kafka.oauth).tokenUrl)) "kafka.oauth.tokenUrl is not https, which live needs: the client's secret would travel in plain text; give the https:// address") -}}
{{- range $part := list "kafka" "redis" "postgres" -}}
{{- include "gsb.refuseIf" (list (not (index $v $part).tls) (printf "%s.tls is false: live needs TLS, set it to true" $part)) -}}
{{- end -}}
{{- range $key, $host := dict "kafka.brokers" (join "," $v.kafka.brokers) "redis.host" (ternary "" $v.redis.host (has $v.redis.mode (list "sentinel" "cluster"))) "postgres.host" $v.postgres.host "postgres.pooler.host" (default "" (default dict $v.postgres.pooler).host) "postgres.replica.host" (default "" (default dict $v.postgres.replica).host) -}}
{{- include "gsb.refuseIf" (list (regexMatch "(^|,)deps-" $host) (printf "%s is %s, which is of the chart gsb-deps and not for live: name your own" $key $host)) -}}
{{- end -}}
{{- include "gsb.refuseIf" (list (not (hasPrefix "https://" $v.partner.baseUrl)) "partner.baseUrl is not https, which live needs: give the partner's https:// address") -}}
{{- $proxy := default dict $v.partner.proxy }}{{ $proxied := default "" $proxy.url -}}
{{- include "gsb.refuseIf" (list (and $proxy.existingSecret (hasPrefix "http://" $proxied)) "partner.proxy.url is not https, and partner.proxy.existingSecret has a password, which would travel in plain text: give the proxy's https:// address, or let it know the pods by their addresses and take the Secret out") -}}
{{- $outside := or $proxied $v.partner.cidrs }}{{ range $v.partner.peers }}{{ if or (hasKey . "namespaceSelector") (hasKey . "ipBlock") }}{{ $outside = true }}{{ end }}{{ end -}}
{{- include "gsb.refuseIf" (list (not $outside) "partner.cidrs is empty: live needs the partner's addresses, as nothing else outside can be reached; or name the proxy that leads there in partner.proxy.url, or in partner.peers an egress gateway, by namespaceSelector") -}}
{{- include "gsb.refuseIf" (list (ne $v.clientIp.mode "gateway") "clientIp.mode is socket: behind a gateway every launcher would have the gateway's address; set gateway, with trustedHops and trustedCidrs") -}}
{{- include "gsb.validate.live.edge" . -}}
{{- include "gsb.validate.live.authorities" . -}}
{{- include "gsb.validate.live.reach" . -}}
{{- include "gsb.validate.live.peers" . -}}
{{- include "gsb.validate.live.logins" . -}}
{{- include "gsb.validate.live.variables" . -}}
{{- include "gsb.validate.live.extras" . -}}
{{- include "gsb.refuseIf" (list (not $v.networkPolicy.enabled) "networkPolicy.enabled is false, which live does not take: set it to true") -}}
{{- include "gsb.refuseIf" (list (or (kindIs "invalid" $v.otel.ratio) (ge (float64 $v.otel.ratio) 1.0)) "otel.ratio is 1, which live does not take: keep a share of the traces, such as 0.1") -}}
{{- range $name, $own := $v.services -}}
{{- $svc := mergeOverwrite (deepCopy $v.defaults) $own -}}
{{- $few := lt (include "gsb.minReplicas" $svc | int) 2 -}}
{{- $key := ternary "replicas" "autoscaling.min" (eq $svc.autoscaling.kind "none") -}}
{{- include "gsb.refuseIf" (list (and $svc.enabled $few) (printf "services.%s.%s is less than 2: live needs two pods of every service (defaults.replicas: 2)" $name $key)) -}}
{{- $memory := include "gsb.quantity" $svc.resources.limits.memory -}}
{{- $little := and $svc.enabled (lt (include "gsb.mebibytes" $memory | float64) 384.0) -}}
{{- include "gsb.refuseIf" (list $little (printf "services.%s.resources.limits.memory is %s: a pod has up to 250 MB in an overload, and would be killed when it is needed most; set it to 384Mi at least" $name $memory)) -}}
{{- $away := toString $svc.strategy.maxUnavailable -}}
{{- include "gsb.refuseIf" (list (and $svc.enabled (ne $away "0")) (printf "services.%s.strategy.maxUnavailable is %s, which live does not take: a rollout would take away so many pods at once, be they all, before new ones are there; set it to 0" $name $away)) -}}
{{- $outside := and $svc.enabled (ne $svc.expose "none") (ne (default "ClusterIP" $svc.serviceType) "ClusterIP") -}}
{{- include "gsb.refuseIf" (list $outside (printf "services.%s.serviceType is %s: the API would be served over plain HTTP, with the API keys in it; set ClusterIP, and gateway or ingress, or a proxy of your own that has the certificate" $name $svc.serviceType)) -}}
{{- $auto := $svc.autoscaling -}}
{{- $ageless := and $svc.enabled $v.monitoring.podMonitor.enabled (eq $auto.kind "lag") (not $auto.prometheusUrl) -}}
{{- include "gsb.refuseIf" (list $ageless (printf "services.%s.autoscaling.prometheusUrl is empty: with monitoring.podMonitor the age of events is measured, and live scales by it; name the Prometheus that scrapes the pods (defaults.autoscaling.prometheusUrl)" $name)) -}}
{{- end -}}
{{- end }}
