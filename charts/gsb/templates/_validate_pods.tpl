{{/* Names that Kubernetes takes for all that the chart makes. */}}
{{- define "gsb.validate.name" -}}
{{- $base := include "gsb.base" . -}}
{{- $odd := not (regexMatch "^[a-z]([a-z0-9-]*[a-z0-9])?$" $base) -}}
{{- include "gsb.refuseIf" (list $odd (printf "nameOverride is empty, and the release is called %s, which no Service's name can begin with: give letters, digits and hyphens, a letter first, such as gsb" $base)) -}}
{{- end }}

{{/* Labels and ports of pods that others go by. */}}
{{- define "gsb.validate.pods" -}}
{{- $ours := include "gsb.labels" (list . "") | fromYaml -}}
{{- $from := dict "defaults" .Values.defaults "jobs" (default dict .Values.jobs) -}}
{{- range $name, $own := .Values.services }}{{ $_ := set $from (printf "services.%s" $name) (default dict $own) }}{{ end -}}
{{- range $at, $settings := $from -}}
{{- range $label, $_ := default dict $settings.podLabels -}}
{{- include "gsb.refuseIf" (list (hasKey $ours $label) (printf "%s.podLabels has %s, by which network policies, Services and budgets know the pods: take it out, or put another prefix before it" $at $label)) -}}
{{- end -}}
{{- end -}}
{{- range default list (default dict .Values.jobs).extraContainers -}}
{{- include "gsb.refuseIf" (list true (printf "jobs.extraContainers has %s, beside which no Job would ever finish: put it into jobs.extraInitContainers, with restartPolicy: Always" .name)) -}}
{{- end -}}
{{- range $name, $own := .Values.services -}}
{{- $svc := mergeOverwrite (deepCopy $.Values.defaults) $own -}}
{{- include "gsb.refuseIf" (list (eq (int $svc.ports.http) (int $svc.ports.ops)) (printf "services.%s.ports.http is %v, and ports.ops too: the process could not listen at both; give each a port of its own" $name $svc.ports.http)) -}}
{{- range $variable, $value := merge (dict) (default dict $svc.env) -}}
{{- $proxied := and (has "partner" $svc.uses) (regexMatch "^(HTTPS?|ALL)_PROXY$" $variable) (not (kindIs "invalid" $value)) -}}
{{- include "gsb.refuseIf" (list $proxied (printf "services.%s.env.%s has no effect, as nothing but partner.proxy leads the calls of the partner: take it out, and give the proxy in partner.proxy.url, with partner.proxy.peers and existingSecret (README, The partner)" $name $variable)) -}}
{{- end -}}
{{- $fewest := include "gsb.minReplicas" $svc | int -}}
{{- $all := and $svc.enabled $svc.pdb.enabled (gt $fewest 1) (ge (int $svc.pdb.maxUnavailable) $fewest) -}}
{{- include "gsb.refuseIf" (list $all (printf "services.%s.pdb.maxUnavailable is %v, and there may be no more pods than that: a drain could take all at once; lower it to %d or less" $name $svc.pdb.maxUnavailable (sub $fewest 1))) -}}
{{- end -}}
{{- end }}

{{/* The peers of each key, as JSON. */}}
{{- define "gsb.peers" -}}
{{- $v := .Values }}{{ $policy := $v.networkPolicy -}}
{{- dict "kafka.peers" $v.kafka.peers "redis.peers" $v.redis.peers "postgres.peers" $v.postgres.peers "partner.peers" $v.partner.peers "partner.proxy.peers" (default dict $v.partner.proxy).peers "otel.peers" $v.otel.peers "kafka.oauth.peers" (default dict $v.kafka.oauth).peers "postgres.pooler.peers" (default dict $v.postgres.pooler).peers "networkPolicy.dns" $policy.dns "networkPolicy.gateway" $policy.gateway "networkPolicy.operators" $policy.operators "networkPolicy.metrics" $policy.metrics | toJson -}}
{{- end }}

{{/* Peers that are the whole cluster. */}}
{{- define "gsb.validate.live.peers" -}}
{{- range $key, $list := include "gsb.peers" . | fromJson -}}
{{- range default list $list -}}
{{- $pods := dig "podSelector" dict . | default dict | values | compact -}}
{{- $all := and (hasKey . "namespaceSelector") (not (dig "namespaceSelector" dict . | default dict | values | compact)) (not $pods) -}}
{{- include "gsb.refuseIf" (list $all (printf "%s has every pod of the cluster: name the namespace or the pods, in namespaceSelector or podSelector" $key)) -}}
{{- end -}}
{{- end -}}
{{- end }}
