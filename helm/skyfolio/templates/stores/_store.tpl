{{/*
What all deployed stores have in common: a Service and the beginning and end of a StatefulSet of one pod with a volume of its
own. The pods' labels carry no version, so that an upgrade of Skyfolio restarts no store.
*/}}
{{- define "skyfolio.store.metadata" -}}
metadata:
  name: {{ include "skyfolio.fullname" .root }}-{{ .name }}
  labels: {{- include "skyfolio.labels" . | nindent 4 }}
{{- end }}

{{/* Takes root, name and ports ({name: number}); of a store that is published also service ({type, nodePort, annotations}). */}}
{{- define "skyfolio.store.service" -}}
{{- $service := .service | default dict -}}
apiVersion: v1
kind: Service
{{ include "skyfolio.store.metadata" . }}
  {{- with $service.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with $service.type }}
  type: {{ . }}
  {{- end }}
  selector: {{- include "skyfolio.selector" . | nindent 4 }}
  ports:
    {{- range $name, $port := .ports }}
    - { name: {{ $name }}, port: {{ $port }}, targetPort: {{ $name }}{{ with $service.nodePort }}, nodePort: {{ int . }}{{ end }} }
    {{- end }}
---
apiVersion: v1
kind: ServiceAccount
{{ include "skyfolio.store.metadata" . }}
automountServiceAccountToken: false
{{- end }}

{{/* Takes root, name, store (its values), user, grace (seconds), volumes and container (both YAML), annotations of its pod. */}}
{{- define "skyfolio.store.statefulSet" -}}
apiVersion: apps/v1
kind: StatefulSet
{{ include "skyfolio.store.metadata" . }}
spec:
  replicas: 1
  serviceName: {{ include "skyfolio.fullname" .root }}-{{ .name }}
  selector:
    matchLabels: {{- include "skyfolio.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "skyfolio.selector" . | nindent 8 }}
        app.kubernetes.io/part-of: skyfolio
      {{- with .annotations }}
      annotations: {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "skyfolio.fullname" .root }}-{{ .name }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- with include "skyfolio.pullSecrets" .root }}
      {{- . | trim | nindent 6 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: {{ .user }}
        runAsGroup: {{ .user }}
        fsGroup: {{ .user }}
        fsGroupChangePolicy: OnRootMismatch
        seccompProfile: { type: RuntimeDefault }
      terminationGracePeriodSeconds: {{ .grace }}
      {{- with include "skyfolio.placement" .store }}
      {{- . | trim | nindent 6 }}
      {{- end }}
      containers:
        - name: {{ .name }}
          image: {{ include "skyfolio.storeImage" .store.image }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          securityContext: {{- toYaml .root.Values.securityContext | nindent 12 }}
          resources: {{- toYaml .store.resources | nindent 12 }}
          {{- .container | nindent 10 }}
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 64Mi }
        {{- with .volumes }}
        {{- . | nindent 8 }}
        {{- end }}
  volumeClaimTemplates:
    - metadata:
        name: data
        labels: {{- include "skyfolio.selector" . | nindent 10 }}
      spec:
        accessModes: [ReadWriteOnce]
        {{- with .store.storageClassName }}
        storageClassName: {{ . }}
        {{- end }}
        resources:
          requests: { storage: {{ .store.size }} }
{{- end }}

{{/*
Annotation that changes, and so restarts the store, with those keys of the inline secrets that it reads when it starts. Takes root
and keys.
*/}}
{{- define "skyfolio.store.checksums" -}}
{{- $inline := .root.Values.secrets.values -}}
{{- if $inline -}}
{{- $read := list -}}
{{- range .keys }}{{- $read = append $read (get $inline .) }}{{- end -}}
checksum/secret: {{ toJson $read | sha256sum }}
{{- end -}}
{{- end }}

{{/* Go collects garbage more often near the container's memory limit; without a limit the variable is the node's memory. */}}
{{- define "skyfolio.store.goMemory" -}}
- name: GOMEMLIMIT
  valueFrom: { resourceFieldRef: { resource: limits.memory } }
{{- end }}
