{{/* Objects and what is in lists of them, in lists of these and so on, as JSON under "objects"; what a list is of, its own kind says too. */}}
{{- define "gsb.unlisted" -}}
{{- $objects := list -}}
{{- range . -}}
{{- if kindIs "map" . -}}
{{- $kind := dig "kind" "" . | toString | trimSuffix "List" }}{{ $held := list -}}
{{- range dig "items" list . | default list }}{{ if kindIs "map" . }}{{ $held = append $held (merge . (dict "kind" $kind)) }}{{ end }}{{ end -}}
{{- $objects = concat $objects (list .) (include "gsb.unlisted" $held | fromJson).objects -}}
{{- end -}}
{{- end -}}
{{- dict "objects" $objects | toJson -}}
{{- end }}

{{/* The objects of a site, as JSON under "objects". */}}
{{- define "gsb.siteObjects" -}}
{{- $objects := list -}}
{{- range .Values.extraObjects -}}
{{- range $text := ternary (tpl (toString .) $) (toYaml .) (kindIs "string" .) | splitList "\n---" }}{{ $objects = append $objects (fromYaml $text) }}{{ end -}}
{{- end -}}
{{- include "gsb.unlisted" $objects -}}
{{- end }}

{{/* Whether a host has a certificate: list HOST HOSTS. */}}
{{- define "gsb.certified" -}}
{{- $host := index . 0 }}{{ if and $host (or (has $host (index . 1)) (has (regexReplaceAll "^[^.]+" $host "*") (index . 1))) }}true{{ end -}}
{{- end }}

{{/* Whether an Ingress or a route serves plain HTTP: its object. Empty: it does not. */}}
{{- define "gsb.servesPlain" -}}
{{- $spec := default dict .spec }}{{ $plain := false -}}
{{- if eq .kind "Ingress" -}}
{{- $hosts := list }}{{ range $spec.tls }}{{ $hosts = concat $hosts (default list .hosts) }}{{ end -}}
{{- range $spec.rules }}{{ if not (include "gsb.certified" (list (default "" .host) $hosts)) }}{{ $plain = true }}{{ end }}{{ end -}}
{{- if or $spec.defaultBackend (not $spec.tls) }}{{ $plain = true }}{{ end -}}
{{- else -}}
{{- range $spec.parentRefs }}{{ if include "gsb.plainListener" . }}{{ $plain = true }}{{ end }}{{ end -}}
{{- end -}}
{{- if $plain }}true{{ end -}}
{{- end }}

{{/* What objects of a site would take past the guards: secrets in the values, other arrows, and plain HTTP to the services. */}}
{{- define "gsb.validate.live.objects" -}}
{{- $objects := (include "gsb.siteObjects" . | fromJson).objects -}}
{{- $ours := list }}{{ range $name, $_ := .Values.services }}{{ $ours = append $ours (include "gsb.name" (list $ $name) | regexQuoteMeta) }}{{ end -}}
{{- $leads := printf "\"name\":\"(%s)\"" (join "|" $ours) -}}
{{- $refused := dict "Secret" "make it beside the release, or by secrets.remote" "NetworkPolicy" "name who may be reached in networkPolicy and in peers" -}}
{{- $edges := dict "Ingress" "give each of its hosts a certificate in spec.tls" "HTTPRoute" "give each of its parentRefs the sectionName of an HTTPS listener, such as https" -}}
{{- range $object := $objects -}}
{{- $kind := dig "kind" "" $object | toString -}}
{{- include "gsb.refuseIf" (list (hasKey $refused $kind) (printf "extraObjects has a %s, which live does not take: %s" $kind (index $refused $kind | default ""))) -}}
{{- $named := dig "metadata" "name" "" $object -}}
{{- $plain := and (hasKey $edges $kind) (not (hasKey $object "items")) (regexMatch $leads (toJson $object.spec)) (include "gsb.servesPlain" $object) -}}
{{- include "gsb.refuseIf" (list $plain (printf "extraObjects has the %s %s, which leads to a service of gsb over plain HTTP too, with the API keys in it: %s" $kind $named (index $edges $kind | default ""))) -}}
{{- end -}}
{{- end }}
