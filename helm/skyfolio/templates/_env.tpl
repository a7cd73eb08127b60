{{/* The databases that components name, each once, as a YAML list. */}}
{{- define "skyfolio.databases" -}}
{{- $names := list -}}
{{- range .Values.components }}{{- $names = append $names (.database | default "") }}{{- end -}}
{{- $names | compact | uniq | sortAlpha | toYaml -}}
{{- end }}

{{/*
The address of a service's database, and the password of a deployed one. Takes root, service, prefix (of the variables) and
optionally secret (with the URLs of external ones).
*/}}
{{- define "skyfolio.env.database" -}}
{{- $postgresql := .root.Values.postgresql -}}
{{- if eq $postgresql.mode "deploy" -}}
- name: {{ .prefix }}DATABASE_URL
  value: postgres://skyfolio@{{ include "skyfolio.fullname" .root }}-postgresql:5432/skyfolio_{{ .service }}
{{ include "skyfolio.secretEnv" (dict "name" (print .prefix "DATABASE_PASSWORD") "secret" (include "skyfolio.secretName" .root) "key" "postgres-password") }}
{{- else -}}
{{- $key := get $postgresql.keys .service | default (printf "%s-url" .service) -}}
{{ include "skyfolio.secretEnv" (dict "name" (print .prefix "DATABASE_URL") "secret" (.secret | default $postgresql.existingSecret) "key" $key) }}
{{- end -}}
{{- end }}

{{/* Secret with the URLs of external databases for what a pooler cannot do. Takes the root. */}}
{{- define "skyfolio.directSecret" -}}
{{- .Values.postgresql.directSecret | default .Values.postgresql.existingSecret -}}
{{- end }}

{{- define "skyfolio.env.redis" -}}
{{- if eq .Values.redis.mode "deploy" -}}
{{ include "skyfolio.secretEnv" (dict "name" "REDIS_PASSWORD" "secret" (include "skyfolio.secretName" .) "key" "redis-password") }}
- name: REDIS_URL
  value: redis://{{ include "skyfolio.fullname" . }}-redis:6379
{{- else -}}
{{ include "skyfolio.secretEnv" (dict "name" "REDIS_URL" "secret" .Values.redis.existingSecret "key" .Values.redis.key) }}
{{- end -}}
{{- end }}

{{- define "skyfolio.env.nats" -}}
{{- if eq .Values.nats.mode "deploy" -}}
{{ include "skyfolio.secretEnv" (dict "name" "NATS_PASSWORD" "secret" (include "skyfolio.secretName" .) "key" "nats-password") }}
- name: NATS_URL
  value: nats://skyfolio@{{ include "skyfolio.fullname" . }}-nats:4222
{{- else -}}
{{ include "skyfolio.secretEnv" (dict "name" "NATS_URL" "secret" .Values.nats.existingSecret "key" .Values.nats.key) }}
{{- end }}
- name: NATS_REPLICAS
  value: {{ .Values.nats.replicas | toString | quote }}
{{- end }}

{{- define "skyfolio.env.objectStore" -}}
{{- $store := .Values.objectStore -}}
{{- $deployed := eq $store.mode "deploy" -}}
{{- $secret := ternary (include "skyfolio.secretName" .) $store.existingSecret $deployed -}}
- name: S3_ENDPOINT
  value: {{ ternary (printf "http://%s-minio:9000" (include "skyfolio.fullname" .)) $store.endpoint $deployed | quote }}
- name: S3_REGION
  value: {{ $store.region | quote }}
- name: S3_BUCKET
  value: {{ $store.bucket | quote }}
{{ include "skyfolio.secretEnv" (dict "name" "S3_ACCESS_KEY" "secret" $secret "key" (ternary "s3-access-key" $store.keys.accessKey $deployed)) }}
{{ include "skyfolio.secretEnv" (dict "name" "S3_SECRET_KEY" "secret" $secret "key" (ternary "s3-secret-key" $store.keys.secretKey $deployed)) }}
{{- end }}

{{/*
Where browsers send parts of uploads, for the gateway, whose pages name it, and for media, which signs them. Takes root and name.
*/}}
{{- define "skyfolio.env.publicStore" -}}
{{- $store := .root.Values.objectStore -}}
{{- if and $store.publicEndpoint (has .name (list "gateway" "media")) -}}
- { name: S3_PUBLIC_ENDPOINT, value: {{ $store.publicEndpoint | quote }} }
{{- if eq .name "media" }}
{{- with $store.uploadSecret }}
{{ include "skyfolio.secretEnv" (dict "name" "S3_UPLOAD_ACCESS_KEY" "secret" . "key" $store.keys.accessKey) }}
{{ include "skyfolio.secretEnv" (dict "name" "S3_UPLOAD_SECRET_KEY" "secret" . "key" $store.keys.secretKey) }}
{{- end }}
{{- with $store.stsEndpoint }}
- { name: S3_STS_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- with $store.uploadRoleArn }}
- { name: S3_UPLOAD_ROLE_ARN, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- end -}}
{{- end }}

{{/* Address and credentials of the print partner; those of the sandbox of the chart are no secrets. Takes the root. */}}
{{- define "skyfolio.env.partner" -}}
{{- $partner := .Values.partner -}}
{{- if .Values.partnerSandbox.enabled -}}
- { name: PARTNER_SANDBOX_URL, value: 'http://{{ include "skyfolio.fullname" . }}-partner-sandbox:8080' }
{{ include "skyfolio.sandboxCredentials" "PARTNER" }}
- { name: PRINT_IMAGE_ORIGIN, value: {{ $partner.imageOrigin | default (include "skyfolio.gatewayOrigin" .) | quote }} }
{{- else }}
{{- with $partner.sandboxUrl }}
- { name: PARTNER_SANDBOX_URL, value: {{ . | quote }} }
{{- end }}
{{- with $partner.productionUrl }}
- { name: PARTNER_PRODUCTION_URL, value: {{ . | quote }} }
{{- end }}
{{- with $partner.existingSecret }}
{{ include "skyfolio.secretEnv" (dict "name" "PARTNER_API_KEY" "secret" . "key" $partner.keys.apiKey) }}
{{ include "skyfolio.secretEnv" (dict "name" "PARTNER_AFFILIATE_ID" "secret" . "key" $partner.keys.affiliateId) }}
{{- end }}
{{- with $partner.imageOrigin }}
- { name: PRINT_IMAGE_ORIGIN, value: {{ . | quote }} }
{{- end }}
{{- end }}
- { name: PARTNER_TIMEOUT_MS, value: {{ int $partner.timeoutMs | quote }} }
- { name: PARTNER_REQUESTS_PER_MINUTE, value: {{ int $partner.requestsPerMinute | quote }} }
- { name: PARTNER_PROCESSES, value: {{ include "skyfolio.partnerPods" . | quote }} }
{{- end }}

{{/* The most pods that call the print partner at the same time, one more of each component during an upgrade. Takes the root. */}}
{{- define "skyfolio.partnerPods" -}}
{{- $root := . -}}
{{- $pods := 0 -}}
{{- range $name := keys .Values.components -}}
{{- $component := include "skyfolio.component" (dict "root" $root "name" $name) | fromYaml -}}
{{- if $component.uses.partner -}}
{{- $pods = add $pods 1 ($component.autoscaling.enabled | ternary $component.autoscaling.max $component.replicas) -}}
{{- end -}}
{{- end -}}
{{- $pods -}}
{{- end }}

{{/* What the sandbox of the chart accepts. Takes the prefix of the variables. */}}
{{- define "skyfolio.sandboxCredentials" -}}
- { name: {{ . }}_API_KEY, value: sandbox-key }
- { name: {{ . }}_AFFILIATE_ID, value: sandbox-affiliate }
{{- end }}

{{/* Address of the mail server, and the sender. Takes the root. */}}
{{- define "skyfolio.env.mail" -}}
{{- $mail := .Values.mail -}}
{{- if .Values.mailbox.enabled -}}
- { name: SMTP_URL, value: 'smtp://{{ include "skyfolio.fullname" . }}-mailbox:1025' }
- { name: MAIL_FROM, value: Skyfolio <no-reply@skyfolio.test> }
{{- else if $mail.from -}}
{{- if $mail.existingSecret -}}
{{ include "skyfolio.secretEnv" (dict "name" "SMTP_URL" "secret" $mail.existingSecret "key" $mail.keys.url) }}
{{- else -}}
- { name: SMTP_URL, value: {{ $mail.url | quote }} }
{{- end }}
- { name: MAIL_FROM, value: {{ $mail.from | quote }} }
{{- end }}
{{- end }}

{{/* The limits of a component as a map of variables. Those that are not set are absent: an empty one would hide that of `config`. */}}
{{- define "skyfolio.env.limits" -}}
{{- $accounts := .root.Values.accounts -}}
{{- if and (has .name (list "gateway" "auth")) (not (kindIs "invalid" $accounts.deletionDays)) }}
ACCOUNT_DELETION_DAYS: {{ int64 $accounts.deletionDays }}
{{- end }}
{{- if eq .name "media" }}
{{- with $accounts.quotaMegabytes }}
USER_QUOTA_MEGABYTES: {{ int64 . }}
{{- end }}
{{- else if eq .name "auth" }}
{{- with $accounts.registrationsPerHour }}
REGISTRATIONS_PER_HOUR: {{ int64 . }}
{{- end }}
{{- end }}
{{- end }}

{{/* The gateway's origin within the cluster. Takes the root. */}}
{{- define "skyfolio.gatewayOrigin" -}}
{{- $port := int (fromYaml (include "skyfolio.component" (dict "root" . "name" "gateway"))).servicePort -}}
http://{{ include "skyfolio.fullname" . }}-gateway{{ if ne $port 80 }}:{{ $port }}{{ end }}
{{- end }}

{{/* The environment of a component: keys and addresses of what it uses, then its own. Takes root, name and component. */}}
{{- define "skyfolio.env" -}}
{{- $root := .root -}}
{{- $secret := include "skyfolio.secretName" $root -}}
{{- $uses := .component.uses -}}
{{- if .component.database }}
{{ include "skyfolio.env.database" (dict "root" $root "service" .component.database "prefix" "") }}
{{- end }}
{{- if $uses.redis }}
{{ include "skyfolio.env.redis" $root }}
{{- end }}
{{- if $uses.nats }}
{{ include "skyfolio.env.nats" $root }}
{{- end }}
{{- if $uses.objectStore }}
{{ include "skyfolio.env.objectStore" $root }}
{{- end }}
{{- with include "skyfolio.env.publicStore" . }}
{{ . }}
{{- end }}
{{- if $uses.identity }}
{{ include "skyfolio.secretEnv" (dict "name" "IDENTITY_KEYS" "secret" $secret "key" "identity-keys") }}
{{- end }}
{{- if $uses.voter }}
{{ include "skyfolio.secretEnv" (dict "name" "VOTER_KEYS" "secret" $secret "key" "voter-keys") }}
{{- end }}
{{- if $uses.links }}
{{ include "skyfolio.secretEnv" (dict "name" "LINK_KEYS" "secret" $secret "key" "link-keys") }}
{{- end }}
{{- if $uses.loadTest }}
{{ include "skyfolio.secretEnv" (dict "name" "LOAD_TEST_KEY" "secret" $secret "key" "load-test-key" "optional" true) }}
{{- end }}
{{- if $uses.printImages }}
{{ include "skyfolio.secretEnv" (dict "name" "PRINT_IMAGE_KEYS" "secret" $secret "key" "print-image-keys") }}
{{- end }}
{{- if $uses.partner }}
{{ include "skyfolio.env.partner" $root | trim }}
{{- end }}
{{- if $uses.mail }}
{{- with include "skyfolio.env.mail" $root }}
{{ . }}
{{- end }}
{{- end }}
{{- range $variable, $value := include "skyfolio.env.limits" . | fromYaml }}
- { name: {{ $variable }}, value: {{ int64 $value | quote }} }
{{- end }}
{{- if and (eq .name "gateway") $root.Values.legal.existingConfigMap }}
{{- with $root.Values.legal.keys.terms }}
- { name: TERMS_FILE, value: /legal/terms }
{{- end }}
{{- with $root.Values.legal.keys.privacy }}
- { name: PRIVACY_FILE, value: /legal/privacy }
{{- end }}
{{- end }}
{{- if eq .name "media" }}
{{- with $root.Values.map.file }}
- { name: BASE_MAP_FILE, value: {{ . | quote }} }
{{- end }}
{{- with $root.Values.map.detailFile }}
- { name: BASE_MAP_DETAIL_FILE, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- if and (eq .name "gateway") $root.Values.map.layers }}
- { name: MAP_LAYERS, value: {{ toJson $root.Values.map.layers | quote }} }
{{- end }}
{{- range .component.calls }}
- name: {{ . | upper | replace "-" "_" }}_URL
  value: http://{{ include "skyfolio.fullname" $root }}-{{ . }}:{{ int (fromYaml (include "skyfolio.component" (dict "root" $root "name" .))).servicePort }}
{{- end }}
- name: LAME_DUCK_SECONDS
  value: {{ int .component.lameDuckSeconds | quote }}
- name: DRAIN_SECONDS
  value: {{ int .component.drainSeconds | quote }}
{{- range $name, $value := .component.env }}
- name: {{ $name }}
  value: {{ tpl (include "skyfolio.text" $value) $root | quote }}
{{- end }}
{{- with .component.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
