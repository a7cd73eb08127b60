{{/* Fails the rendering with instructions if a value is missing or invalid. */}}
{{- define "skyfolio.validate" -}}
{{- $ns := .Release.Namespace -}}
{{- if not .Values.publicOrigin -}}
{{- fail "\n\npublicOrigin is missing: the address under which browsers see Skyfolio, without a path. Add\n  --set publicOrigin=https://photos.example\n" -}}
{{- end -}}
{{- if not (regexMatch "^https?://[^/]+$" .Values.publicOrigin) -}}
{{- fail (printf "\n\npublicOrigin is %q: it must be http:// or https:// with a host, perhaps a port, and nothing after it. For example\n  --set publicOrigin=https://photos.example\n" .Values.publicOrigin) -}}
{{- end -}}
{{- range .Values.trustedProxies -}}
{{- if not (or (has . (list "loopback" "linklocal" "uniquelocal")) (include "skyfolio.validate.network" .)) -}}
{{- fail (printf "\n\ntrustedProxies has %q, which is no address or network. For example\n  --set 'trustedProxies={10.244.0.0/16}'\n" .) -}}
{{- end -}}
{{- end -}}
{{- range $name, $instead := dict "HOST" "nothing: pods listen on all their addresses" "PORT" "components.<name>.servicePort" "OPS_PORT" "nothing: it is 9090" "PUBLIC_ORIGIN" "publicOrigin" -}}
{{- if hasKey $.Values.config $name -}}
{{- fail (printf "\n\nconfig.%s: the chart itself sets %s. Remove it; what to set instead is %s.\n" $name $name $instead) -}}
{{- end -}}
{{- end -}}
{{- include "skyfolio.validate.secrets" . -}}
{{- range $store := list "postgresql" "redis" "nats" "objectStore" -}}
{{- $mode := (get $.Values $store).mode -}}
{{- if not (has $mode (list "deploy" "external")) -}}
{{- fail (printf "\n\n%s.mode is %q. Use your own server with\n  --set %s.mode=external\nor let the chart run one to try Skyfolio:\n  --set %s.mode=deploy\n" $store $mode $store $store) -}}
{{- end -}}
{{- end -}}
{{- with .Values.postgresql -}}
{{- if and (eq .mode "external") (not .existingSecret) -}}
{{- fail (printf "\n\npostgresql.mode is external, and postgresql.existingSecret is missing. Make the Secret, and name it:\n  kubectl create secret generic skyfolio-postgresql -n %s --from-literal=%s=postgres://… --from-literal=%s=postgres://… --from-literal=%s=postgres://… --from-literal=%s=postgres://…\n  --set postgresql.existingSecret=skyfolio-postgresql\nTo only try Skyfolio: --set postgresql.mode=deploy\n" $ns .keys.auth .keys.media .keys.folders (get .keys "print-orders")) -}}
{{- end -}}
{{- end -}}
{{- with .Values.redis -}}
{{- if and (eq .mode "external") (not .existingSecret) -}}
{{- fail (printf "\n\nredis.mode is external, and redis.existingSecret is missing. The server needs maxmemory-policy noeviction and appendonly yes. Make the Secret, and name it:\n  kubectl create secret generic skyfolio-redis -n %s --from-literal=%s=redis://:password@host:6379\n  --set redis.existingSecret=skyfolio-redis\nTo only try Skyfolio: --set redis.mode=deploy\n" $ns .key) -}}
{{- end -}}
{{- end -}}
{{- with .Values.nats -}}
{{- if and (eq .mode "external") (not .existingSecret) -}}
{{- fail (printf "\n\nnats.mode is external, and nats.existingSecret is missing. The server needs JetStream, best with sync_interval: always. Make the Secret, and name it:\n  kubectl create secret generic skyfolio-nats -n %s --from-literal=%s=nats://user:password@host:4222\n  --set nats.existingSecret=skyfolio-nats\nTo only try Skyfolio: --set nats.mode=deploy\n" $ns .key) -}}
{{- end -}}
{{- if and (eq .mode "deploy") (ne (int .replicas) 1) -}}
{{- fail (printf "\n\nnats.replicas is %d, and the NATS that the chart deploys is one server. Set nats.replicas=1, or nats.mode=external for a cluster.\n" (int .replicas)) -}}
{{- end -}}
{{- end -}}
{{- with .Values.objectStore -}}
{{- if eq .mode "external" -}}
{{- if not .endpoint -}}
{{- fail "\n\nobjectStore.mode is external, and objectStore.endpoint is missing. Add\n  --set objectStore.endpoint=https://s3.eu-central-1.amazonaws.com --set objectStore.region=eu-central-1 --set objectStore.bucket=…\nTo only try Skyfolio: --set objectStore.mode=deploy\n" -}}
{{- end -}}
{{- if not (regexMatch "^https?://[^/]+" .endpoint) -}}
{{- fail (printf "\n\nobjectStore.endpoint is %q: it must begin with http:// or https://. For example\n  --set objectStore.endpoint=https://s3.eu-central-1.amazonaws.com\n" .endpoint) -}}
{{- end -}}
{{- if not .existingSecret -}}
{{- fail (printf "\n\nobjectStore.mode is external, and objectStore.existingSecret is missing. Make the Secret, and name it:\n  kubectl create secret generic skyfolio-s3 -n %s --from-literal=%s=… --from-literal=%s=…\n  --set objectStore.existingSecret=skyfolio-s3\n" $ns .keys.accessKey .keys.secretKey) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- include "skyfolio.validate.publicStore" . -}}
{{- include "skyfolio.validate.partner" . -}}
{{- include "skyfolio.validate.mail" . -}}
{{- include "skyfolio.validate.components" . -}}
{{- end }}

{{- define "skyfolio.validate.secrets" -}}
{{- $make := printf "deploy/make-secrets.sh manifest | kubectl create -n %s -f -" .Release.Namespace -}}
{{- if and .Values.secrets.existingSecret .Values.secrets.values -}}
{{- fail "\n\nBoth secrets.existingSecret and secrets.values are set, and only one can count: remove the other.\n" -}}
{{- end -}}
{{- if not .Values.secrets.existingSecret -}}
{{- $needed := list "identity-keys" "voter-keys" "link-keys" "print-image-keys" -}}
{{- if eq .Values.postgresql.mode "deploy" -}}{{- $needed = append $needed "postgres-password" -}}{{- end -}}
{{- if eq .Values.redis.mode "deploy" -}}{{- $needed = append $needed "redis-password" -}}{{- end -}}
{{- if eq .Values.nats.mode "deploy" -}}{{- $needed = append $needed "nats-password" -}}{{- end -}}
{{- if eq .Values.objectStore.mode "deploy" -}}{{- $needed = concat $needed (list "s3-access-key" "s3-secret-key") -}}{{- end -}}
{{- if or .Values.partnerSandbox.enabled .Values.mailbox.enabled -}}{{- $needed = append $needed "page-key" -}}{{- end -}}
{{- if not .Values.secrets.values -}}
{{- fail (printf "\n\nsecrets.existingSecret is missing. Make the Secret once, and name it:\n  %s\n  --set secrets.existingSecret=skyfolio-secrets\nThe chart makes no secrets itself: they would change with every rendering.\n" $make) -}}
{{- end -}}
{{- range $needed -}}
{{- if not (get $.Values.secrets.values .) -}}
{{- fail (printf "\n\nsecrets.values has no %q. Add it, or make a Secret with all keys and name it:\n  %s\n  --set secrets.existingSecret=skyfolio-secrets\n" . $make) -}}
{{- end -}}
{{- end -}}
{{- range $key := list "identity-keys" "voter-keys" "link-keys" "print-image-keys" -}}
{{- range splitList "," (get $.Values.secrets.values $key | toString) -}}
{{- if lt (len .) 32 -}}
{{- fail (printf "\n\nA key in secrets.values.%s is shorter than 32 characters. Make one with\n  openssl rand -hex 32\n" $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "skyfolio.validate.publicStore" -}}
{{- $origin := .Values.publicOrigin -}}
{{- with .Values.objectStore -}}
{{- $publish := .publish -}}
{{- range $name := list "publicEndpoint" "stsEndpoint" -}}
{{- $url := get $.Values.objectStore $name -}}
{{- if and $url (not (regexMatch "^https?://[^/]+$" $url)) -}}
{{- fail (printf "\n\nobjectStore.%s is %q: it must be http:// or https:// with a host, perhaps a port, and nothing after it.\n" $name $url) -}}
{{- end -}}
{{- end -}}
{{- range $name := list "uploadSecret" "stsEndpoint" "uploadRoleArn" -}}
{{- if and (get $.Values.objectStore $name) (not $.Values.objectStore.publicEndpoint) -}}
{{- fail (printf "\n\nobjectStore.%s is set, and objectStore.publicEndpoint does not say where browsers reach the store. Add\n  --set objectStore.publicEndpoint=https://store.photos.example\n" $name) -}}
{{- end -}}
{{- end -}}
{{- if and (hasPrefix "https://" $origin) (hasPrefix "http://" .publicEndpoint) -}}
{{- fail (printf "\n\nobjectStore.publicEndpoint is %q, and publicOrigin is https: browsers send nothing from a secure page to an http address. Use https://.\n" .publicEndpoint) -}}
{{- end -}}
{{- if and .publicEndpoint (eq .publicEndpoint $origin) -}}
{{- fail "\n\nobjectStore.publicEndpoint is publicOrigin, where the gateway answers. The store needs a name or a port of its own, such as\n  --set objectStore.publicEndpoint=https://store.photos.example\n" -}}
{{- end -}}
{{- if and $publish.enabled (eq .mode "external") -}}
{{- fail "\n\nobjectStore.publish.enabled is for the store that the chart deploys, and objectStore.mode is external. Let browsers reach your own store at objectStore.publicEndpoint, and set\n  --set objectStore.publish.enabled=false\n" -}}
{{- end -}}
{{- if and $publish.enabled (not .publicEndpoint) -}}
{{- fail "\n\nobjectStore.publish.enabled is on, and objectStore.publicEndpoint does not say where browsers reach the store. Add\n  --set objectStore.publicEndpoint=https://store.photos.example\n" -}}
{{- end -}}
{{- if and .publicEndpoint (eq .mode "deploy") (not $publish.enabled) -}}
{{- fail "\n\nobjectStore.publicEndpoint is set, and nobody outside of the release reaches the store that the chart deploys. Add\n  --set objectStore.publish.enabled=true\n" -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "skyfolio.validate.partner" -}}
{{- $ns := .Release.Namespace -}}
{{- $sandbox := .Values.partnerSandbox.enabled -}}
{{- with .Values.partner -}}
{{- range $name := list "sandboxUrl" "productionUrl" "existingSecret" -}}
{{- if and $sandbox (get $.Values.partner $name) -}}
{{- fail (printf "\n\nBoth partnerSandbox.enabled and partner.%s are set, and the sandbox of the chart takes the partner's place. For the real partner:\n  --set partnerSandbox.enabled=false\n" $name) -}}
{{- end -}}
{{- end -}}
{{- range $name := list "sandboxUrl" "productionUrl" "imageOrigin" -}}
{{- $url := get $.Values.partner $name -}}
{{- if and $url (not (regexMatch "^https?://[^/]+$" $url)) -}}
{{- fail (printf "\n\npartner.%s is %q: it must be http:// or https:// with a host, perhaps a port, and nothing after it.\n" $name $url) -}}
{{- end -}}
{{- end -}}
{{- if and .productionUrl (not (hasPrefix "https://" .productionUrl)) -}}
{{- fail (printf "\n\npartner.productionUrl is %q: customers' names and the API key must travel encrypted. Use https://.\n" .productionUrl) -}}
{{- end -}}
{{- if and (or .sandboxUrl .productionUrl) (not .existingSecret) -}}
{{- fail (printf "\n\nThe print partner has an address, and partner.existingSecret is missing. Make the Secret, and name it:\n  kubectl create secret generic skyfolio-partner -n %s --from-literal=%s=… --from-literal=%s=…\n  --set partner.existingSecret=skyfolio-partner\n" $ns .keys.apiKey .keys.affiliateId) -}}
{{- end -}}
{{- if and .existingSecret (not (or .sandboxUrl .productionUrl)) -}}
{{- fail "\n\npartner.existingSecret is set, and the partner has no address. Add at least\n  --set partner.sandboxUrl=https://services-qa.walgreens.com\n" -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "skyfolio.validate.mail" -}}
{{- $ns := .Release.Namespace -}}
{{- $make := printf "kubectl create secret generic skyfolio-mail -n %s --from-literal=%s=smtps://user:password@mail.example:465\n  --set mail.existingSecret=skyfolio-mail" $ns .Values.mail.keys.url -}}
{{- $mailbox := .Values.mailbox.enabled -}}
{{- with .Values.mail -}}
{{- range $name := list "url" "existingSecret" "from" -}}
{{- if and $mailbox (get $.Values.mail $name) -}}
{{- fail (printf "\n\nBoth mailbox.enabled and mail.%s are set, and the mailbox of the chart delivers to nobody. For the real mail server:\n  --set mailbox.enabled=false\n" $name) -}}
{{- end -}}
{{- end -}}
{{- if and .url .existingSecret -}}
{{- fail "\n\nBoth mail.url and mail.existingSecret are set, and only one can count: remove the other.\n" -}}
{{- end -}}
{{- if contains "@" .url -}}
{{- fail (printf "\n\nmail.url has a user or a password, which belong into a Secret. Make the Secret, name it, and remove mail.url:\n  %s\n" $make) -}}
{{- end -}}
{{- if and .url (not (regexMatch "^smtps?://[^/:]+(:[0-9]+)?$" .url)) -}}
{{- fail (printf "\n\nmail.url is %q: it must be smtp:// or smtps:// with a host, perhaps a port, and nothing after it. For example\n  --set mail.url=smtp://relay.example:25\n" .url) -}}
{{- end -}}
{{- if and (or .url .existingSecret) (not .from) -}}
{{- fail "\n\nA mail server is set, and mail.from is missing: the sender of all mails. Add\n  --set mail.from='Skyfolio <no-reply@photos.example>'\n" -}}
{{- end -}}
{{- if and .from (not (or .url .existingSecret)) -}}
{{- fail (printf "\n\nmail.from is set, and there is no mail server. Make a Secret with its address, and name it:\n  %s\nor, for a server without a password:\n  --set mail.url=smtp://relay.example:25\n" $make) -}}
{{- end -}}
{{- if and .from (not (regexMatch "^([^<>@]*<[^<>@ ]+@[^<>@ ]+>|[^<>@ ]+@[^<>@ ]+)$" .from)) -}}
{{- fail (printf "\n\nmail.from is %q: it must be an address, or a name and an address in angle brackets. For example\n  --set mail.from='Skyfolio <no-reply@photos.example>'\n" .from) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "skyfolio.validate.components" -}}
{{- $mode := .Values.migrations.mode -}}
{{- if not (has $mode (list "job" "hook" "none")) -}}
{{- fail (printf "\n\nmigrations.mode is %q: it must be job, hook or none. Add\n  --set migrations.mode=job\n" $mode) -}}
{{- end -}}
{{- if and (ne $mode "job") (eq .Values.postgresql.mode "deploy") -}}
{{- fail (printf "\n\nmigrations.mode is %s, but the PostgreSQL that the chart deploys is there only with the rest of the release, and its databases are made by the Job. Use\n  --set migrations.mode=job\n" $mode) -}}
{{- end -}}
{{- range $name, $own := .Values.components -}}
{{- $component := include "skyfolio.component" (dict "root" $ "name" $name) | fromYaml -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$" $name) -}}
{{- fail (printf "\n\ncomponents.%s: the name of a component has at most 20 small letters, digits and dashes, beginning with a letter.\n" $name) -}}
{{- end -}}
{{- if has $name (list "postgresql" "redis" "nats" "minio" "migrations" "partner-sandbox" "mailbox" "config" "secrets" "ops" "smoke-test" "deny-all") -}}
{{- fail (printf "\n\ncomponents.%s: this name is taken by the chart itself; choose another one.\n" $name) -}}
{{- end -}}
{{- $image := $own.image | default dict -}}
{{- if not (or $image.name $image.digest $own.database $own.uses $own.calls $own.command) -}}
{{- fail (printf "\n\ncomponents.%s has no image.name, database, uses, calls or command of its own: is %s misspelt? Components are: %s\n" $name $name (keys $.Values.components | sortAlpha | join ", ")) -}}
{{- end -}}
{{- with $component.database -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$" .) -}}
{{- fail (printf "\n\ncomponents.%s.database is %q: the name of a database has small letters, digits and dashes, beginning with a letter.\n" $name .) -}}
{{- end -}}
{{- if and (eq $.Values.postgresql.mode "external") (not (get $.Values.postgresql.keys .)) -}}
{{- fail (printf "\n\ncomponents.%s uses the database %q, and postgresql.keys does not say under which key of the Secret its address is. Add\n  --set postgresql.keys.%s=%s-url\n" $name . . .) -}}
{{- end -}}
{{- end -}}
{{- range $component.calls -}}
{{- if not (hasKey $.Values.components .) -}}
{{- fail (printf "\n\ncomponents.%s.calls names %q, which is no component. Components are: %s\n" $name . (keys $.Values.components | sortAlpha | join ", ")) -}}
{{- end -}}
{{- if not (include "skyfolio.component" (dict "root" $ "name" .) | fromYaml).http -}}
{{- fail (printf "\n\ncomponents.%s.calls names %q, which answers no HTTP requests. Remove it there, or set\n  --set components.%s.http=true\n" $name . .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Whether it is an IP address or a network. */}}
{{- define "skyfolio.validate.network" -}}
{{- $byte := "(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])" -}}
{{- $four := printf "^%s([.]%s){3}(/([12]?[0-9]|3[0-2]))?$" $byte $byte -}}
{{- $six := "^[0-9a-fA-F]*:[0-9a-fA-F:]*:[0-9a-fA-F.]*(/([1-9]?[0-9]|1[01][0-9]|12[0-8]))?$" -}}
{{- if or (regexMatch $four .) (regexMatch $six .) -}}yes{{- end -}}
{{- end }}
