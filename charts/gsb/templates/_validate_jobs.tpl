{{/* Jobs that could not do what they are for. */}}
{{- define "gsb.validate.jobs" -}}
{{- $noAccount := and .Values.operators.console (not .Values.services.settlement.enabled) -}}
{{- include "gsb.refuseIf" (list $noAccount "services.settlement.enabled is false, and operators.console true: the console looks operators up as settlement does, by its ServiceAccount, and would never start; set one of the two otherwise") -}}
{{- if .Values.closeDay.enabled }}{{ include "gsb.validate.closeDay" .Values.closeDay }}{{ end -}}
{{- end }}

{{/* Each try works out anew which day was yesterday. The hour is startingDeadlineSeconds of the CronJob; of hours that are no number 18 h at most are taken. */}}
{{- define "gsb.validate.closeDay" -}}
{{- $deadline := int .activeDeadlineSeconds }}{{ $most := 64800 -}}
{{- if regexMatch "^[0-9]+ +[0-9]+ " .schedule -}}
{{- $at := regexFindAll "[0-9]+" .schedule 2 -}}
{{- $begins := add (mul (index $at 1 | atoi) 3600) (mul (index $at 0 | atoi) 60) 3600 -}}
{{- $most = min $most (sub 86400 $begins) | max 0 -}}
{{- end -}}
{{- include "gsb.refuseIf" (list (gt $deadline (int $most)) (printf "closeDay.activeDeadlineSeconds is %d: with closeDay.schedule %s, and a Job that may begin an hour late, tries after midnight would close the next day instead of this one; set it to %d at most, or let the schedule begin earlier" $deadline .schedule (int $most))) -}}
{{- end }}
