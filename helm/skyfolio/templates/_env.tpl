{{/* The databases that components name, each once, as a YAML list. */}}
{{- define "skyfolio.databases" -}}
{{- $names := list -}}
{{- range .Values.components }}{{- $names = append $names (.database | default "") }}{{- end -}}
{{- $names | compact | uniq | sortAlpha | toYaml -}}
{{- end }}

{{/* DATABASE_URL, or another variable with the address of a service's database. Takes root, service and variable. */}}
{{- define "skyfolio.env.database" -}}
{{- $postgresql := .root.Values.postgresql -}}
{{- if eq $postgresql.mode "deploy" -}}
- name: {{ .variable }}
  value: postgres://skyfolio:$(POSTGRES_PASSWORD)@{{ include "skyfolio.fullname" .root }}-postgresql:5432/skyfolio_{{ .service }}
{{- else -}}
{{- $key := get $postgresql.keys .service | default (printf "%s-url" .service) -}}
{{ include "skyfolio.secretEnv" (dict "name" .variable "secret" $postgresql.existingSecret "key" $key) }}
{{- end -}}
{{- end }}

{{/* The password that the URLs of deployed databases reference; it must precede them. */}}
{{- define "skyfolio.env.databasePassword" -}}
{{- if eq .Values.postgresql.mode "deploy" -}}
{{ include "skyfolio.secretEnv" (dict "name" "POSTGRES_PASSWORD" "secret" (include "skyfolio.secretName" .) "key" "postgres-password") }}
{{- end -}}
{{- end }}

{{- define "skyfolio.env.redis" -}}
{{- if eq .Values.redis.mode "deploy" -}}
{{ include "skyfolio.secretEnv" (dict "name" "REDIS_PASSWORD" "secret" (include "skyfolio.secretName" .) "key" "redis-password") }}
- name: REDIS_URL
  value: redis://:$(REDIS_PASSWORD)@{{ include "skyfolio.fullname" . }}-redis:6379
{{- else -}}
{{ include "skyfolio.secretEnv" (dict "name" "REDIS_URL" "secret" .Values.redis.existingSecret "key" .Values.redis.key) }}
{{- end -}}
{{- end }}

{{- define "skyfolio.env.nats" -}}
{{- if eq .Values.nats.mode "deploy" -}}
{{ include "skyfolio.secretEnv" (dict "name" "NATS_PASSWORD" "secret" (include "skyfolio.secretName" .) "key" "nats-password") }}
- name: NATS_URL
  value: nats://skyfolio:$(NATS_PASSWORD)@{{ include "skyfolio.fullname" . }}-nats:4222
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
- name: OBJECT_STORE
  value: s3
- name: S3_ENDPOINT
  value: {{ ternary (printf "http://%s-minio:9000" (include "skyfolio.fullname" .)) $store.endpoint $deployed | quote }}
- name: S3_REGION
  value: {{ $store.region | quote }}
- name: S3_BUCKET
  value: {{ $store.bucket | quote }}
{{ include "skyfolio.secretEnv" (dict "name" "S3_ACCESS_KEY" "secret" $secret "key" (ternary "s3-access-key" $store.keys.accessKey $deployed)) }}
{{ include "skyfolio.secretEnv" (dict "name" "S3_SECRET_KEY" "secret" $secret "key" (ternary "s3-secret-key" $store.keys.secretKey $deployed)) }}
{{- end }}

{{/* The environment of a component: keys and addresses of what it uses, then its own. Takes root and component. */}}
{{- define "skyfolio.env" -}}
{{- $root := .root -}}
{{- $secret := include "skyfolio.secretName" $root -}}
{{- $uses := .component.uses -}}
{{- if .component.database }}
{{- with include "skyfolio.env.databasePassword" $root }}
{{ . }}
{{- end }}
{{ include "skyfolio.env.database" (dict "root" $root "service" .component.database "variable" "DATABASE_URL") }}
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
{{- if $uses.identity }}
{{ include "skyfolio.secretEnv" (dict "name" "IDENTITY_KEYS" "secret" $secret "key" "identity-keys") }}
{{- end }}
{{- if $uses.voter }}
{{ include "skyfolio.secretEnv" (dict "name" "VOTER_KEYS" "secret" $secret "key" "voter-keys") }}
{{- end }}
{{- if $uses.loadTest }}
{{ include "skyfolio.secretEnv" (dict "name" "LOAD_TEST_KEY" "secret" $secret "key" "load-test-key" "optional" true) }}
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
