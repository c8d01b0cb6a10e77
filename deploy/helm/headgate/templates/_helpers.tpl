{{- define "headgate.name" -}}
{{- if contains "headgate" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-headgate" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "headgate.selector" -}}
app.kubernetes.io/name: headgate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "headgate.labels" -}}
{{ include "headgate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "headgate.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "headgate.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "headgate.name" .) }}
{{- end }}

{{/* "true" if the journal is in a volume of the pod. */}}
{{- define "headgate.hasVolume" -}}
{{- if eq .Values.journal "volume" }}true{{ end }}
{{- end }}

{{/* "true" if budgets are set: by the value, in the configuration, or in one of its keys. */}}
{{- define "headgate.hasBudgets" -}}
{{- $keys := dict "found" false }}
{{- range .Values.config.keys | default list }}
{{- if kindIs "map" . }}{{ if .budgets }}{{ $_ := set $keys "found" true }}{{ end }}{{ end }}
{{- end }}
{{- $others := omit (.Values.config.budgets | default dict) "alerts" "held" "count" "unknownPrice" "leastOutput" }}
{{- if or .Values.budgets $keys.found (not (empty $others)) }}true{{ end }}
{{- end }}

{{/* Refuses values that lose money or data, and secrets in plain text. */}}
{{- define "headgate.check" -}}
{{- if and (eq .Values.journal "none") (include "headgate.hasBudgets" .) }}
{{- fail "With budgets, the journal must survive the pod: set `journal: volume` (a StatefulSet) or `journal: postgres`. Without budgets, set `budgets: false`." }}
{{- end }}
{{- if and (eq .Values.database "sqlite") (ne .Values.journal "volume") }}
{{- fail "`database: sqlite` stores everything in the volume: set `journal: volume`, or use `database: postgres`." }}
{{- end }}
{{- if and (eq .Values.database "sqlite") (or .Values.autoscaling.enabled (ne (int .Values.replicas) 1)) }}
{{- fail "`database: sqlite` is for one pod: set `replicas: 1` without autoscaling, or use `database: postgres`." }}
{{- end }}
{{- if and .Values.config.journal (ne .Values.config.journal (ternary "postgres" "disk" (eq .Values.journal "postgres"))) }}
{{- fail "`config.journal` contradicts `journal`. Set only `journal`." }}
{{- end }}
{{- if and .Values.autoscaling.enabled (eq 0 (int .Values.autoscaling.requestsInFlight)) (eq 0 (int .Values.autoscaling.cpu)) }}
{{- fail "Autoscaling needs `autoscaling.requestsInFlight` or `autoscaling.cpu`." }}
{{- end }}
{{- if and .Values.tls.clientSecretName (not .Values.tls.secretName) }}
{{- fail "`tls.clientSecretName` needs `tls.secretName`." }}
{{- end }}
{{- if and .Values.externalSecret.enabled (or (not .Values.externalSecret.store.name) (not .Values.externalSecret.keys)) }}
{{- fail "`externalSecret` needs `store.name` and `keys`." }}
{{- end }}
{{- range $index, $key := .Values.config.keys | default list }}
{{- $text := ternary ($key | toString) (dig "key" "" (ternary $key dict (kindIs "map" $key)) | toString) (kindIs "string" $key) }}
{{- if not (regexMatch "^\\$\\{[A-Za-z0-9_]+\\}$" $text) }}{{ fail (printf "config.keys[%d] is a secret in plain text. Put it into a secret, and write \"${NAME}\"." $index) }}{{ end }}
{{- end }}
{{- range $name, $provider := .Values.config.providers | default dict }}
{{- $key := dig "apiKey" "" ($provider | default dict) }}
{{- range (ternary $key (list $key) (kindIs "slice" $key)) }}
{{- if and . (not (regexMatch "^\\$\\{[A-Za-z0-9_]+\\}$" (. | toString))) }}{{ fail (printf "config.providers.%s.apiKey is a secret in plain text. Put it into a secret, and write \"${NAME}\"." $name) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Configuration file: the values, and what the chart decides. */}}
{{- define "headgate.config" -}}
{{- $server := dict "healthPort" 8788 }}
{{- if .Values.tls.secretName }}
{{- $tls := dict "certificate" "/tls/server/tls.crt" "key" "/tls/server/tls.key" }}
{{- if .Values.tls.clientSecretName }}
{{- $clients := dict "ca" "/tls/clients/ca.crt" }}
{{- if .Values.tls.revocations }}{{ $_ := set $clients "crl" "/tls/clients/ca.crl" }}{{ end }}
{{- $_ := set $tls "clients" $clients }}
{{- end }}
{{- $_ := set $server "tls" $tls }}
{{- end }}
{{- $times := dict "drain" (mul 1000 (int .Values.shutdown.drainSeconds)) "shutdown" (mul 1000 (int .Values.shutdown.streamSeconds)) }}
{{- $own := dict "server" $server "times" $times }}
{{- if eq .Values.journal "postgres" }}{{ $_ := set $own "journal" "postgres" }}{{ end }}
{{- toPrettyJson (mergeOverwrite (deepCopy .Values.config) $own) }}
{{- end }}

{{- define "headgate.podSecurityContext" -}}
runAsNonRoot: true
{{- with .Values.podSecurity.runAsUser }}
runAsUser: {{ . }}
{{- end }}
{{- with .Values.podSecurity.fsGroup }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "headgate.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "headgate.environment" -}}
envFrom:
  - secretRef:
      name: {{ .Values.secret.name }}
  {{- range .Values.secret.more }}
  - secretRef:
      name: {{ . }}
  {{- end }}
{{- end }}
