{{/* The pods of a component or store as a NetworkPolicy peer. Takes root and name. */}}
{{- define "skyfolio.network.peer" -}}
- podSelector:
    matchLabels: {{- include "skyfolio.selector" . | nindent 6 }}
{{- end }}

{{/* TCP ports. */}}
{{- define "skyfolio.network.ports" -}}
{{- range $i, $port := . }}
{{- if $i }}{{ "\n" }}{{ end -}}
- { protocol: TCP, port: {{ kindIs "string" $port | ternary $port (int $port) }} }
{{- end }}
{{- end }}

{{/* Egress to the cluster's name servers. Takes the root. */}}
{{- define "skyfolio.network.dns" -}}
- to: {{- toYaml .Values.networkPolicy.dns.to | nindent 4 }}
  ports:
    {{- range .Values.networkPolicy.dns.ports }}
    - { protocol: UDP, port: {{ int . }} }
    - { protocol: TCP, port: {{ int . }} }
    {{- end }}
{{- end }}

{{/* Name of the deployed pods and their port, of a store. */}}
{{- define "skyfolio.network.stores" -}}
postgresql: { name: postgresql, port: 5432 }
redis: { name: redis, port: 6379 }
nats: { name: nats, port: 4222 }
objectStore: { name: minio, port: 9000 }
{{- end }}

{{/* Egress to a store, deployed or external. Takes root and store. */}}
{{- define "skyfolio.network.toStore" -}}
{{- $values := get .root.Values .store -}}
{{- $known := get (include "skyfolio.network.stores" . | fromYaml) .store -}}
{{- if eq $values.mode "deploy" -}}
- to: {{- include "skyfolio.network.peer" (dict "root" .root "name" $known.name) | nindent 4 }}
  ports: {{- include "skyfolio.network.ports" (list $known.port) | nindent 4 }}
{{- else -}}
{{- $external := get .root.Values.networkPolicy.external .store -}}
{{- $ports := $external.ports -}}
{{- if and (eq .store "objectStore") (not $ports) -}}
{{- range compact (list $values.endpoint $values.stsEndpoint) -}}
{{- $ports = append $ports (include "skyfolio.urlPort" . | int) -}}
{{- end -}}
{{- end -}}
- ports: {{- include "skyfolio.network.ports" (uniq $ports) | nindent 4 }}
  {{- with $external.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end }}

{{/* Egress to the print partner, or to its sandbox in the chart. Takes the root. */}}
{{- define "skyfolio.network.toPartner" -}}
{{- $external := .Values.networkPolicy.external.partner -}}
{{- if .Values.partnerSandbox.enabled -}}
- to: {{- include "skyfolio.network.peer" (dict "root" . "name" "partner-sandbox") | nindent 4 }}
  ports: {{- include "skyfolio.network.ports" (list 8080) | nindent 4 }}
{{- else -}}
{{- $ports := $external.ports -}}
{{- range $url := compact (list .Values.partner.sandboxUrl .Values.partner.productionUrl) -}}
{{- if not $external.ports -}}{{- $ports = append $ports (include "skyfolio.urlPort" $url | int) -}}{{- end -}}
{{- end -}}
{{- with uniq $ports -}}
- ports: {{- include "skyfolio.network.ports" . | nindent 4 }}
  {{- with $external.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Egress to the mail server, or to the mailbox in the chart. Takes the root. */}}
{{- define "skyfolio.network.toMail" -}}
{{- $external := .Values.networkPolicy.external.mail -}}
{{- if .Values.mailbox.enabled -}}
- to: {{- include "skyfolio.network.peer" (dict "root" . "name" "mailbox") | nindent 4 }}
  ports: {{- include "skyfolio.network.ports" (list 1025) | nindent 4 }}
{{- else if .Values.mail.from -}}
{{- $ports := $external.ports -}}
{{- if and (not $ports) .Values.mail.existingSecret -}}{{- $ports = list 465 587 -}}{{- end -}}
{{- if not $ports -}}{{- $ports = list (include "skyfolio.urlPort" .Values.mail.url | int) -}}{{- end -}}
- ports: {{- include "skyfolio.network.ports" $ports | nindent 4 }}
  {{- with $external.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end }}

{{/* Which stores a component uses, as a list in JSON. */}}
{{- define "skyfolio.network.uses" -}}
{{- $stores := list -}}
{{- if .database -}}{{- $stores = append $stores "postgresql" -}}{{- end -}}
{{- range $store := list "redis" "nats" "objectStore" -}}
{{- if get $.uses $store -}}{{- $stores = append $stores $store -}}{{- end -}}
{{- end -}}
{{- toJson $stores -}}
{{- end }}
