{{/* The Secrets that the External Secrets Operator makes, by name, as JSON: the part that each is of, and its key in the store. */}}
{{- define "gsb.remoteSecrets" -}}
{{- $v := .Values }}{{ $made := dict -}}
{{- range $part := list "kafka" "redis" "postgres" "partner" "trust" -}}
{{- with index $v.secrets.remote $part }}{{ $_ := set $made (index $v $part).existingSecret (dict "part" $part "key" .) }}{{ end -}}
{{- end -}}
{{- with $v.secrets.remote.partnerProxy }}{{ $_ := set $made (default dict $v.partner.proxy).existingSecret (dict "part" "partner" "key" .) }}{{ end -}}
{{- range $part := list "redis" "postgres" -}}
{{- range $who, $key := index $v.secrets.remote (printf "%sLogins" $part) -}}
{{- if $key }}{{ $_ := set $made (index (index $v $part).logins $who) (dict "part" $part "key" $key) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $made | toJson -}}
{{- end }}

{{/* Each login is a Secret of its own, and has a name where it is made. */}}
{{- define "gsb.validate.logins" -}}
{{- $v := .Values }}{{ $made := eq $v.secrets.mode "externalSecrets" -}}
{{- range $part := list "kafka" "redis" "postgres" "partner" "trust" -}}
{{- $nameless := and $made (index $v.secrets.remote $part) (eq (index $v $part).existingSecret "") -}}
{{- include "gsb.refuseIf" (list $nameless (printf "%s.existingSecret is empty: secrets.remote.%s needs a name for the Secret that it makes" $part $part)) -}}
{{- end -}}
{{- $nameless := and $made $v.secrets.remote.partnerProxy (not (default dict $v.partner.proxy).existingSecret) -}}
{{- include "gsb.refuseIf" (list $nameless "partner.proxy.existingSecret is empty: secrets.remote.partnerProxy needs a name for the Secret that it makes") -}}
{{- range $part := list "redis" "postgres" -}}
{{- $store := index $v $part }}{{ $seen := dict -}}
{{- if $store.existingSecret }}{{ $_ := set $seen $store.existingSecret (printf "%s.existingSecret" $part) }}{{ end -}}
{{- range $who, $secret := $store.logins -}}
{{- $at := printf "%s.logins.%s" $part $who -}}
{{- with $secret -}}
{{- include "gsb.refuseIf" (list (hasKey $seen .) (printf "%s is %s, which is %s too: give each a user and a Secret of its own" $at . (index $seen . | default ""))) -}}
{{- $_ := set $seen . $at -}}
{{- end -}}
{{- $remote := index (index $v.secrets.remote (printf "%sLogins" $part)) $who -}}
{{- include "gsb.refuseIf" (list (and $made $remote (not $secret)) (printf "%s is empty: secrets.remote.%sLogins.%s needs a name for the Secret that it makes" $at $part $who)) -}}
{{- end -}}
{{- end -}}
{{- $some := list }}{{ $none := list -}}
{{- range $role := list "closer" "reader" "writer" }}{{ if index (default dict $v.postgres.logins) $role }}{{ $some = append $some $role }}{{ else }}{{ $none = append $none $role }}{{ end }}{{ end -}}
{{- include "gsb.refuseIf" (list (and $some $none) (printf "postgres.logins.%s is empty, but %s has a Secret: name one for each of the three, or none" (join ", postgres.logins." $none) (join ", " $some))) -}}
{{- end }}

{{/* One user who may do everything is what live does not take. */}}
{{- define "gsb.validate.live.logins" -}}
{{- $v := .Values -}}
{{- range $name, $own := $v.services -}}
{{- $svc := mergeOverwrite (deepCopy $.Values.defaults) $own -}}
{{- $shared := and $svc.enabled (has "redis" $svc.uses) (not (index (default dict $v.redis.logins) $name)) -}}
{{- include "gsb.refuseIf" (list $shared (printf "redis.logins.%s is empty: the service would sign in as a user who may read and change what is others'; make an ACL user for it (README, Secrets) and name the Secret with its username and password" $name)) -}}
{{- end -}}
{{- range $role := list "closer" "reader" "writer" -}}
{{- include "gsb.refuseIf" (list (not (index (default dict $v.postgres.logins) $role)) (printf "postgres.logins.%s is empty: the owner of the ledger would do everything, and could change it; make a role (README, Secrets) and name the Secret with its username and password" $role)) -}}
{{- end -}}
{{- include "gsb.validate.live.users" . -}}
{{- end }}

{{/* What the Secrets say, where a cluster can be asked: the same user in two of them, or the one who may do everything. */}}
{{- define "gsb.validate.live.users" -}}
{{- $v := .Values -}}
{{- range $part := list "redis" "postgres" -}}
{{- $store := index $v $part }}{{ $seen := dict "default" "the user who may do everything" "postgres" "the user who may do everything" -}}
{{- if and $store.existingSecret $store.usernameKey -}}
{{- $owner := lookup "v1" "Secret" $.Release.Namespace $store.existingSecret | dig "data" $store.usernameKey "" | b64dec -}}
{{- if and $owner (not (hasKey $seen $owner)) }}{{ $_ := set $seen $owner (printf "that of %s.existingSecret too" $part) }}{{ end -}}
{{- end -}}
{{- range $who, $secret := $store.logins -}}
{{- $found := lookup "v1" "Secret" $.Release.Namespace $secret -}}
{{- $user := dig "data" "username" "" $found | b64dec -}}
{{- include "gsb.refuseIf" (list (and $user (hasKey $seen $user)) (printf "%s.logins.%s: the Secret %s names the user %s, who is %s: give each a user of its own" $part $who $secret $user (index $seen $user | default ""))) -}}
{{- $_ := set $seen $user (printf "that of %s.logins.%s too" $part $who) -}}
{{- end -}}
{{- end -}}
{{- end }}
