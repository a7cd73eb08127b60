{{/* The host of an origin, without its port. */}}
{{- define "skyfolio.hostOf" -}}
{{- regexReplaceAll ":[0-9]+$" (urlParse .).host "" -}}
{{- end }}

{{/* The paths of uploads at the object store. Takes the root. */}}
{{- define "skyfolio.uploadPath" -}}
/{{ .Values.objectStore.bucket }}/originals
{{- end }}

{{/* The TCP port of a URL. */}}
{{- define "skyfolio.urlPort" -}}
{{- $url := urlParse . -}}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" -}}
{{- $port | default (get (dict "https" "443" "smtp" "587" "smtps" "465") $url.scheme | default "80") -}}
{{- end }}

{{/* Behind an untrusted proxy all visitors would share one address. Takes root and what (the value that requires the proxy). */}}
{{- define "skyfolio.requireTrustedProxies" -}}
{{- if not .root.Values.trustedProxies -}}
{{- fail (printf "\n\n%s is on, and trustedProxies is empty: all visitors would count as one, and share the limits of one address. Add the networks that your proxies' pods have addresses of, such as\n  --set 'trustedProxies={10.244.0.0/16}'\n" .what) -}}
{{- end -}}
{{- end }}

{{/*
What uploads and live events need of an Ingress controller: bodies as large as the gateway takes, passed on while they come
in, answers too, and patience. The gateway itself ends what stalls; a stream of live events has a heartbeat every 20 seconds.
*/}}
{{- define "skyfolio.ingress.annotations" -}}
{{- if eq .controller "nginx" -}}
nginx.ingress.kubernetes.io/proxy-body-size: {{ .maxBodySize | quote }}
nginx.ingress.kubernetes.io/proxy-request-buffering: 'off'
nginx.ingress.kubernetes.io/proxy-buffering: 'off'
nginx.ingress.kubernetes.io/proxy-http-version: '1.1'
nginx.ingress.kubernetes.io/proxy-read-timeout: '3600'
nginx.ingress.kubernetes.io/proxy-send-timeout: '3600'
{{- else if eq .controller "nginx-org" -}}
nginx.org/client-max-body-size: {{ .maxBodySize | quote }}
nginx.org/proxy-buffering: 'False'
nginx.org/proxy-read-timeout: 3600s
nginx.org/proxy-send-timeout: 3600s
{{- else if eq .controller "haproxy" -}}
haproxy.org/timeout-server: 3600s
{{- else if eq .controller "alb" -}}
alb.ingress.kubernetes.io/target-type: ip
alb.ingress.kubernetes.io/healthcheck-path: /
alb.ingress.kubernetes.io/load-balancer-attributes: idle_timeout.timeout_seconds=3600
{{- end -}}
{{- end }}
