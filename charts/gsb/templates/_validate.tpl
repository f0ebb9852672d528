{{/* Refuses to render: list CONDITION SENTENCE. Each sentence names the key and the remedy. */}}
{{- define "gsb.refuseIf" -}}
{{- if index . 0 }}{{ fail (index . 1) }}{{ end -}}
{{- end }}

{{- define "gsb.validate" -}}
{{- include "gsb.refuseIf" (list (not (has .Values.environment (list "dev" "qa" "live"))) "environment is empty: set dev, qa or live") -}}
{{- include "gsb.refuseIf" (list (and .Values.image.writable (ne .Values.environment "dev")) (printf "image.writable is true, which %s does not take: whoever gets into a pod could change what runs; set it to false" .Values.environment)) -}}
{{- include "gsb.validate.name" . -}}
{{- include "gsb.validate.alone" . -}}
{{- include "gsb.validate.topics" . -}}
{{- include "gsb.validate.edge" . -}}
{{- include "gsb.validate.stores" . -}}
{{- include "gsb.validate.logins" . -}}
{{- include "gsb.validate.services" . -}}
{{- include "gsb.validate.pods" . -}}
{{- include "gsb.validate.jobs" . -}}
{{- include "gsb.validate.strimzi" . -}}
{{- if .Values.networkPolicy.enabled }}{{ include "gsb.validate.peers" . }}{{ end -}}
{{- if eq .Values.environment "live" }}{{ include "gsb.validate.live" . }}{{ end -}}
{{- end }}

{{/* Asks the cluster, so only an install or upgrade is refused, and no helm template. */}}
{{- define "gsb.validate.alone" -}}
{{- range dig "items" list (lookup "apps/v1" "Deployment" .Release.Namespace "") -}}
{{- $labels := default dict .metadata.labels -}}
{{- $other := dig "app.kubernetes.io/instance" "" $labels -}}
{{- $twice := and (eq (dig "app.kubernetes.io/name" "" $labels) "gsb") (ne $other $.Release.Name) -}}
{{- include "gsb.refuseIf" (list $twice (printf "namespace %s has the release %s of gsb: both would read the same topics as one consumer group, and each would miss what the other reads; install %s into a namespace of its own, on a Kafka, Redis and Postgres database of its own" $.Release.Namespace $other $.Release.Name)) -}}
{{- end -}}
{{- end }}

{{/* The topics of a Kafka by Strimzi, wherever they are, are one release's. */}}
{{- define "gsb.validate.topics" -}}
{{- $strimzi := .Values.kafka.strimzi }}{{ $where := default .Release.Namespace $strimzi.namespace -}}
{{- if eq .Values.kafka.provision "strimzi" -}}
{{- range dig "items" list (lookup $strimzi.apiVersion "KafkaTopic" $where "") -}}
{{- $labels := default dict .metadata.labels }}{{ $other := dig "app.kubernetes.io/instance" "" $labels -}}
{{- $from := dig "annotations" "meta.helm.sh/release-namespace" $.Release.Namespace .metadata -}}
{{- $ours := and (eq (dig "app.kubernetes.io/name" "" $labels) "gsb") (eq (dig "strimzi.io/cluster" "" $labels) $strimzi.cluster) -}}
{{- $twice := and $ours (or (ne $other $.Release.Name) (ne $from $.Release.Namespace)) -}}
{{- include "gsb.refuseIf" (list $twice (printf "kafka.strimzi.cluster is %s, whose topics are those of the release %s in namespace %s: both would read them as one consumer group, and each would miss what the other reads; name a Kafka of its own, or take over the topics of a release that is gone (UPGRADING.md, Another name)" $strimzi.cluster $other $from)) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "gsb.validate.edge" -}}
{{- $ip := .Values.clientIp -}}
{{- $gateway := eq $ip.mode "gateway" -}}
{{- include "gsb.refuseIf" (list (and $gateway (not $ip.trustedCidrs)) "clientIp.trustedCidrs is empty: with clientIp.mode gateway, list the addresses that the forwarding hops speak from") -}}
{{- include "gsb.refuseIf" (list (and $gateway (lt (int $ip.trustedHops) 1)) "clientIp.trustedHops is 0: with clientIp.mode gateway, count the hops that add to X-Forwarded-For, or set clientIp.mode to socket") -}}
{{- $noParents := and .Values.gateway.enabled (not .Values.gateway.parentRefs) -}}
{{- include "gsb.refuseIf" (list $noParents "gateway.parentRefs is empty: name the Gateways to attach to, or set gateway.enabled to false") -}}
{{- $annotations := dict "ingress.annotations" .Values.ingress.annotations -}}
{{- range $api, $own := .Values.ingress.apiAnnotations }}{{ $_ := set $annotations (printf "ingress.apiAnnotations.%s" $api) $own }}{{ end -}}
{{- range $at, $given := $annotations -}}
{{- range $name, $value := default dict $given -}}
{{- $again := and (hasSuffix "/proxy-next-upstream" $name) (regexMatch "http_(429|5..)|non_idempotent" $value) -}}
{{- include "gsb.refuseIf" (list $again (printf "%s has %s: %s, by which a pod that says when to come back has others asked at once, and a verify that was done is sent again: leave what has reached no pod, error timeout" $at $name $value)) -}}
{{- end -}}
{{- end -}}
{{- range $edge := list "gateway" "ingress" -}}
{{- $at := index $.Values $edge -}}
{{- range $api := list "launcher" "game" -}}
{{- include "gsb.refuseIf" (list (and $at.enabled (not (index $at.hostnames $api))) (printf "%s.hostnames.%s is empty: give the %s API at least one host name" $edge $api $api)) -}}
{{- end -}}
{{- range $host := $at.hostnames.launcher -}}
{{- include "gsb.refuseIf" (list (has $host $at.hostnames.game) (printf "%s.hostnames.game has %s, which is the launchers' too: give the two APIs host names of their own" $edge $host)) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "gsb.validate.stores" -}}
{{- $kafka := .Values.kafka -}}
{{- $strimzi := eq $kafka.provision "strimzi" -}}
{{- include "gsb.refuseIf" (list (and $strimzi (eq $kafka.strimzi.cluster "")) "kafka.strimzi.cluster is empty: with kafka.provision strimzi, name the Kafka resource that the topics belong to") -}}
{{- include "gsb.validate.kafkaLogin" . -}}
{{- include "gsb.refuseIf" (list (lt (int $kafka.replicationFactor) (int $kafka.minInsyncReplicas)) "kafka.minInsyncReplicas is more than kafka.replicationFactor: nothing could be written; lower it") -}}
{{- $redis := .Values.redis -}}
{{- if eq $redis.mode "sentinel" -}}
{{- include "gsb.refuseIf" (list (not $redis.sentinels) "redis.sentinels is empty: with redis.mode sentinel, list the Sentinels, host:port") -}}
{{- include "gsb.refuseIf" (list (eq $redis.master "") "redis.master is empty: with redis.mode sentinel, give the name by which the Sentinels know the primary") -}}
{{- else -}}
{{- if eq $redis.mode "cluster" -}}
{{- include "gsb.refuseIf" (list (not $redis.nodes) "redis.nodes is empty: with redis.mode cluster, list some servers of the cluster, host:port") -}}
{{- end -}}
{{- include "gsb.refuseIf" (list (or $redis.sentinels $redis.master $redis.sentinelPasswordKey) "redis.sentinels, redis.master and redis.sentinelPasswordKey are for redis.mode sentinel: set it, or take them out") -}}
{{- end -}}
{{- include "gsb.refuseIf" (list (and $redis.nodes (ne $redis.mode "cluster")) "redis.nodes are for redis.mode cluster: set it, or take them out") -}}
{{- $postgres := .Values.postgres -}}
{{- include "gsb.refuseIf" (list (and (eq $postgres.existingSecret "") (eq $postgres.password "")) "postgres.existingSecret is empty: name a Secret with user name and password") -}}
{{- include "gsb.refuseIf" (list (and (eq .Values.partner.existingSecret "") (eq .Values.partner.token "")) "partner.existingSecret is empty: name a Secret with the partner's token") -}}
{{- include "gsb.validate.proxy" . -}}
{{- include "gsb.validate.backup" . -}}
{{- $secrets := .Values.secrets -}}
{{- if eq $secrets.mode "externalSecrets" -}}
{{- include "gsb.refuseIf" (list (eq $secrets.storeRef.name "") "secrets.storeRef.name is empty: with secrets.mode externalSecrets, name the store that the Secrets come from") -}}
{{- end -}}
{{- end }}

{{/* One way to sign in to Kafka, and all that it needs. */}}
{{- define "gsb.validate.kafkaLogin" -}}
{{- $kafka := .Values.kafka }}{{ $oauth := eq (default "" $kafka.sasl) "oauthbearer" }}{{ $tokens := default dict $kafka.oauth -}}
{{- $strimzi := eq $kafka.provision "strimzi" -}}
{{- $noUser := and (eq $kafka.sasl "scram-sha-512") (not $strimzi) (eq $kafka.existingSecret "") (eq $kafka.password "") -}}
{{- include "gsb.refuseIf" (list $noUser "kafka.existingSecret is empty: with kafka.sasl scram-sha-512, name a Secret with username and password, or let Strimzi make users (kafka.provision strimzi)") -}}
{{- include "gsb.refuseIf" (list (and $kafka.mtls (ne $kafka.sasl "none")) (printf "kafka.mtls and kafka.sasl %s are two ways to sign in: set kafka.sasl to none, or kafka.mtls to false" $kafka.sasl)) -}}
{{- include "gsb.refuseIf" (list (and $kafka.mtls (not $kafka.tls)) "kafka.tls is false: a client certificate is shown by TLS, so kafka.mtls needs it; set it to true") -}}
{{- include "gsb.refuseIf" (list (and $kafka.mtls (not $strimzi) (eq $kafka.existingSecret "")) "kafka.existingSecret is empty: with kafka.mtls, name a Secret with tls.crt and tls.key, or let Strimzi make users (kafka.provision strimzi)") -}}
{{- include "gsb.refuseIf" (list (and $oauth (eq $kafka.existingSecret "") (eq $kafka.password "")) "kafka.existingSecret is empty: with kafka.sasl oauthbearer, name a Secret whose username and password are the id and the secret of the OAuth client; Strimzi makes none") -}}
{{- include "gsb.refuseIf" (list (and $oauth (not $tokens.tokenUrl)) "kafka.oauth.tokenUrl is empty: with kafka.sasl oauthbearer, give the address that an OAuth client gets its tokens at") -}}
{{- include "gsb.refuseIf" (list (and (not $oauth) (or $tokens.tokenUrl $tokens.scope)) "kafka.oauth.tokenUrl and kafka.oauth.scope are for kafka.sasl oauthbearer: set it, or take them out") -}}
{{- end }}

{{/* A proxy to the partner is an address alone: what else stands in a URL, the pods would send to nobody, and the values show to everybody. */}}
{{- define "gsb.validate.proxy" -}}
{{- $proxy := default dict .Values.partner.proxy }}{{ $url := default "" $proxy.url -}}
{{- include "gsb.refuseIf" (list (contains "@" $url) "partner.proxy.url has a user or a password in it, which whoever reads the values or the pods would see: take it out, put username and password into a Secret, and name that in partner.proxy.existingSecret") -}}
{{- include "gsb.refuseIf" (list (and $url (not (regexMatch "^https?://([a-zA-Z0-9.-]+|\\[[0-9a-fA-F:.]+\\])(:[0-9]{1,5})?/?$" $url))) (printf "partner.proxy.url is %s, which no HTTP proxy is called: give scheme, host and port alone, such as http://egress.proxy:3128" $url)) -}}
{{- include "gsb.refuseIf" (list (and (not $url) (or $proxy.existingSecret $proxy.peers)) "partner.proxy.existingSecret and partner.proxy.peers are for a proxy, and partner.proxy.url is empty: give its address, such as http://egress.proxy:3128, or take them out") -}}
{{- end }}

{{- define "gsb.validate.backup" -}}
{{- $backup := default dict .Values.postgres.backup -}}
{{- if $backup.enabled -}}
{{- include "gsb.refuseIf" (list (not $backup.cluster) "postgres.backup.cluster is empty: with postgres.backup.enabled, name the CloudNativePG Cluster that holds the ledger") -}}
{{- include "gsb.refuseIf" (list (not (or $backup.destinationPath $backup.objectStore)) "postgres.backup.destinationPath is empty: say where backups go, such as s3://backups/gsb, or name an ObjectStore that is there in postgres.backup.objectStore") -}}
{{- include "gsb.refuseIf" (list (and $backup.destinationPath $backup.objectStore) "postgres.backup.objectStore names an ObjectStore that is there, and postgres.backup.destinationPath is for one that the chart makes: take one of them out") -}}
{{- $fields := regexSplit " +" (default "" $backup.schedule | trim) -1 | len -}}
{{- include "gsb.refuseIf" (list (ne $fields 6) (printf "postgres.backup.schedule is %v: CloudNativePG wants six fields, seconds first, such as 0 0 18 * * *" $backup.schedule)) -}}
{{- end -}}
{{- end }}

{{/* A Kafka of another namespace is named in full, and let through. */}}
{{- define "gsb.validate.strimzi" -}}
{{- $kafka := .Values.kafka }}{{ $where := $kafka.strimzi.namespace -}}
{{- if and (eq $kafka.provision "strimzi") (not (has $where (list "" .Release.Namespace))) -}}
{{- range $kafka.brokers -}}
{{- $short := regexMatch "^[^.]+:" . -}}
{{- include "gsb.refuseIf" (list $short (printf "kafka.brokers has %s, a name of the release's namespace, but kafka.strimzi.namespace is %s: write it in full, such as NAME.%s.svc:9093" . $where $where)) -}}
{{- end -}}
{{- $through := false -}}
{{- range $kafka.peers }}{{ if or (hasKey . "namespaceSelector") (hasKey . "ipBlock") }}{{ $through = true }}{{ end }}{{ end -}}
{{- include "gsb.refuseIf" (list (and .Values.networkPolicy.enabled (not $through)) (printf "kafka.peers are pods of the release's namespace, but kafka.strimzi.namespace is %s: add its namespaceSelector, or the brokers cannot be reached" $where)) -}}
{{- end -}}
{{- end }}

{{/* What each service talks to: less than that in `uses`, as in the values of an earlier version, leaves it without what it starts with. */}}
{{- define "gsb.needs" -}}
launcher-gateway: [kafka, redis, limits, games, launcher-keys, operators]
ott: [kafka, redis, limits]
game-session: [kafka, redis, limits, games, game-status, operators]
billing-adapter: [kafka, partner]
settlement: [kafka, postgres, days, operators]
{{- end }}

{{- define "gsb.validate.services" -}}
{{- $catalog := .Files.Get "files/topics.json" | fromJson -}}
{{- range $name, $own := .Values.services -}}
{{- $svc := mergeOverwrite (deepCopy $.Values.defaults) $own -}}
{{- $at := printf "services.%s" $name -}}
{{- $lacking := list }}{{ range include "gsb.needs" . | fromYaml | dig $name list }}{{ if not (has . $svc.uses) }}{{ $lacking = append $lacking . }}{{ end }}{{ end -}}
{{- include "gsb.refuseIf" (list (and $svc.enabled $lacking) (printf "%s.uses lacks %s, without which the service does not start: take %s.uses out of your values, as it is the chart's" $at (join ", " $lacking) $at)) -}}
{{- $auto := $svc.autoscaling -}}
{{- include "gsb.refuseIf" (list (and (ne $auto.kind "none") (le (int $auto.max) (int $auto.min))) (printf "%s.autoscaling.max is %v and min is %v: raise max above min, or set %s.autoscaling.kind to none" $at $auto.max $auto.min $at)) -}}
{{- $most := include "gsb.maxReplicas" $svc | int -}}
{{- $edge := has $svc.expose (list "launcher" "game") -}}
{{- if and $svc.enabled (or (not $edge) (eq $auto.kind "lag")) -}}
{{- $partitions := 1 -}}
{{- range index $catalog.scaledBy $name }}{{ $partitions = max $partitions (include "gsb.partitions" (list $ .) | int) }}{{ end -}}
{{- $key := ternary "replicas" "autoscaling.max" (eq $auto.kind "none") -}}
{{- include "gsb.refuseIf" (list (gt $most (int $partitions)) (printf "%s.%s is %d, but its topics have %d partitions and more consumers than that would idle: lower it, or raise kafka.partitions to %d" $at $key $most (int $partitions) $most)) -}}
{{- end -}}
{{- include "gsb.refuseIf" (list (lt (int $svc.strategy.maxSurge) 1) (printf "%s.strategy.maxSurge is 0: a rollout would take pods away before new ones are there; set it to 1" $at)) -}}
{{- $wait := mul $svc.probes.readiness.period (add1 $svc.probes.readiness.failureThreshold) -}}
{{- include "gsb.refuseIf" (list (and $edge (lt (int $svc.drain.preStopSeconds) (int $wait))) (printf "%s.drain.preStopSeconds is %v, but a load balancer that goes by readiness needs %d s to notice: raise it, or ask more often (probes.readiness)" $at $svc.drain.preStopSeconds $wait)) -}}
{{- end -}}
{{- end }}

{{- define "gsb.validate.peers" -}}
{{- $policy := .Values.networkPolicy -}}
{{- $peers := dict "kafka.peers" .Values.kafka.peers "redis.peers" .Values.redis.peers "postgres.peers" .Values.postgres.peers "partner.cidrs" (concat .Values.partner.cidrs .Values.partner.peers) "networkPolicy.dns" $policy.dns "networkPolicy.gateway" $policy.gateway "networkPolicy.operators" $policy.operators "networkPolicy.metrics" $policy.metrics "networkPolicy.apiServer.cidrs" $policy.apiServer.cidrs -}}
{{- if (default dict .Values.partner.proxy).url }}{{ $_ := set (unset $peers "partner.cidrs") "partner.proxy.peers" .Values.partner.proxy.peers }}{{ end -}}
{{- if .Values.otel.endpoint }}{{ $_ := set $peers "otel.peers" .Values.otel.peers }}{{ end -}}
{{- if eq .Values.kafka.sasl "oauthbearer" }}{{ $_ := set $peers "kafka.oauth.peers" (default dict .Values.kafka.oauth).peers }}{{ end -}}
{{- if (default dict .Values.postgres.pooler).host }}{{ $_ := set $peers "postgres.pooler.peers" .Values.postgres.pooler.peers }}{{ end -}}
{{- range $key, $list := $peers -}}
{{- include "gsb.refuseIf" (list (not $list) (printf "%s is empty, which a NetworkPolicy reads as everywhere: name who it is" $key)) -}}
{{- end -}}
{{- end }}

{{/* Whether a range is within addresses that nobody has on the internet (RFC 1918, 6598, 4193, loopback, link-local); empty: it is not. */}}
{{- define "gsb.isPrivate" -}}
{{- $cidr := lower . }}{{ $bits := splitList "/" $cidr | last | int -}}
{{- range $block, $least := dict "^(10|127)\\." 8 "^172\\.(1[6-9]|2[0-9]|3[01])\\." 12 "^(192\\.168|169\\.254)\\." 16 "^100\\.(6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\\." 10 "^f[cd][0-9a-f]{2}:" 7 "^fe[89ab][0-9a-f]:" 10 "^::1/" 128 -}}
{{- if and (regexMatch $block $cidr) (ge $bits $least) }}true{{ end -}}
{{- end -}}
{{- end }}

{{/* What the addresses of each key are, as JSON. */}}
{{- define "gsb.cidrs" -}}
{{- $v := .Values }}{{ $policy := $v.networkPolicy }}{{ $peers := include "gsb.peers" . | fromJson -}}
{{- $cidrs := dict "partner.cidrs" $v.partner.cidrs "clientIp.trustedCidrs" $v.clientIp.trustedCidrs "networkPolicy.apiServer.cidrs" $policy.apiServer.cidrs -}}
{{- range $key, $list := $peers -}}
{{- $blocks := list -}}
{{- range $list }}{{ with dig "ipBlock" "cidr" "" . }}{{ $blocks = append $blocks . }}{{ end }}{{ end -}}
{{- $_ := set $cidrs $key $blocks -}}
{{- end -}}
{{- $cidrs | toJson -}}
{{- end }}
