{{/* Name of the release's objects; a component's or store's name follows it. */}}
{{- define "skyfolio.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{/* Selector labels, immutable. Takes root and name (of a component or store). */}}
{{- define "skyfolio.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{/* Labels of an object. Takes root and name. */}}
{{- define "skyfolio.labels" -}}
{{ include "skyfolio.selector" . }}
app.kubernetes.io/part-of: skyfolio
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/*
`base` overlaid with `over`, map by map, as YAML. Unlike mergeOverwrite it takes over what is empty: a component can turn off
what the defaults turn on.
*/}}
{{- define "skyfolio.overlay" -}}
{{- $result := deepCopy .base -}}
{{- range $key, $value := .over -}}
{{- if and (kindIs "map" $value) (kindIs "map" (get $result $key)) -}}
{{- $_ := set $result $key (include "skyfolio.overlay" (dict "base" (get $result $key) "over" $value) | fromYaml) -}}
{{- else -}}
{{- $_ := set $result $key $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $result -}}
{{- end }}

{{/* A component merged with the defaults, as YAML (use fromYaml). Takes root and name. */}}
{{- define "skyfolio.component" -}}
{{- include "skyfolio.overlay" (dict "base" .root.Values.componentDefaults "over" (get .root.Values.components .name | default dict)) -}}
{{- end }}

{{/* Which autoscaler manages the number of pods: hpa, keda or nothing. Takes root, name and component. */}}
{{- define "skyfolio.scaledBy" -}}
{{- if and .root.Values.keda.enabled (eq .name "media-worker") -}}
{{- if .component.autoscaling.enabled -}}
{{- fail (printf "\n\nBoth KEDA and a HorizontalPodAutoscaler would scale %s: set keda.enabled=false or components.%s.autoscaling.enabled=false.\n" .name .name) -}}
{{- end -}}
keda
{{- else if .component.autoscaling.enabled -}}
hpa
{{- end -}}
{{- end }}

{{/* An image of Skyfolio's own. Takes root, name and image ({name, tag, digest}). */}}
{{- define "skyfolio.image" -}}
{{- $all := .root.Values.image -}}
{{- $path := list $all.registry $all.repository (.image.name | default .name) | compact | join "/" -}}
{{- $tag := .image.tag | default $all.tag -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $path .image.digest -}}
{{- else if not (or $tag $all.registry) -}}
{{- fail (printf "\n\nimage.registry is missing, and without it no image of Skyfolio's is anywhere by itself. Name your registry:\n  --set image.registry=ghcr.io/example\nor, for images that you made by `npm run ops -- images --tag dev` and loaded into the cluster, their tag:\n  --set image.tag=dev\n") -}}
{{- else -}}
{{- printf "%s:%s" $path (include "skyfolio.text" ($tag | default .root.Chart.AppVersion)) -}}
{{- end -}}
{{- end }}

{{/* An image of a store: {repository, tag, digest}. */}}
{{- define "skyfolio.storeImage" -}}
{{- if .digest -}}{{ printf "%s@%s" .repository .digest }}{{- else -}}{{ printf "%s:%s" .repository (include "skyfolio.text" .tag) }}{{- end -}}
{{- end }}

{{/* imagePullSecrets of a pod. */}}
{{- define "skyfolio.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{/* Name of the Secret with keys and the passwords of deployed stores. */}}
{{- define "skyfolio.secretName" -}}
{{- .Values.secrets.existingSecret | default (printf "%s-secrets" (include "skyfolio.fullname" .)) -}}
{{- end }}

{{/* An environment variable from a Secret. Takes name, secret, key and optionally optional. */}}
{{- define "skyfolio.secretEnv" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end }}

{{/* A value as the text of an environment variable: whole numbers stay whole. */}}
{{- define "skyfolio.text" -}}
{{- if kindIs "string" . -}}{{ . }}{{- else if kindIs "invalid" . -}}{{- else -}}{{ toJson . }}{{- end -}}
{{- end }}

{{/* A probe of the ops port. Takes path and settings. */}}
{{- define "skyfolio.probe" -}}
httpGet: { path: {{ .path }}, port: ops }
{{ toYaml .settings }}
{{- end }}

{{/* Scheduling constraints. Takes a component or another value with nodeSelector, tolerations and affinity. */}}
{{- define "skyfolio.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
