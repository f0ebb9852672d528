{{- define "deps.selector" -}}
app.kubernetes.io/name: gsb-deps
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "deps.labels" -}}
{{ include "deps.selector" . }}
app.kubernetes.io/part-of: gsb
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
gsb.dev/environment: {{ (index . 0).Values.environment }}
{{- end }}

{{- define "deps.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
capabilities: { drop: [ALL] }
{{- end }}

{{- define "deps.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}
