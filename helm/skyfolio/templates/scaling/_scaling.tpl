{{/* The minimum number of pods of a component. Takes root, name and component. */}}
{{- define "skyfolio.fewestPods" -}}
{{- $owner := include "skyfolio.scaledBy" . -}}
{{- if eq $owner "keda" -}}{{ int .root.Values.keda.min }}
{{- else if eq $owner "hpa" -}}{{ int .component.autoscaling.min }}
{{- else -}}{{ int .component.replicas }}
{{- end -}}
{{- end }}

{{/* minAvailable or maxUnavailable of a component's budget, which always permits an eviction. Takes root, name and component. */}}
{{- define "skyfolio.pdb.budget" -}}
{{- $pdb := .component.pdb -}}
{{- $least := $pdb.minAvailable | toString -}}
{{- $most := $pdb.maxUnavailable | toString -}}
{{- $set := not (kindIs "invalid" $pdb.minAvailable) -}}
{{- if and $set (not (kindIs "invalid" $pdb.maxUnavailable)) -}}
{{- fail (printf "\n\ncomponents.%s.pdb has minAvailable and maxUnavailable, and Kubernetes takes one: remove the other.\n" .name) -}}
{{- end -}}
{{- $fewest := int (include "skyfolio.fewestPods" .) -}}
{{- /* Kubernetes rounds a percentage up. */}}
{{- $kept := hasSuffix "%" $least | ternary (div (add (mul (trimSuffix "%" $least | int) $fewest) 99) 100) (int64 $least) | int -}}
{{- if and $set (gt $fewest 0) (ge $kept $fewest) -}}
{{- fail (printf "\n\ncomponents.%s.pdb.minAvailable is %s, and it may have only %d pods: no node with one of them could ever be drained. Lower it, or set\n  --set components.%s.pdb.minAvailable=null\nwhich lets one pod at a time go.\n" .name $least $fewest .name) -}}
{{- end -}}
{{- if and (not $set) (has $most (list "0" "0%")) -}}
{{- fail (printf "\n\ncomponents.%s.pdb.maxUnavailable is %s: no node with one of its pods could ever be drained. Use 1, or turn the budget off with\n  --set components.%s.pdb.enabled=false\n" .name $most .name) -}}
{{- end -}}
{{- if $set -}}
minAvailable: {{ $least }}
{{- else -}}
maxUnavailable: {{ kindIs "invalid" $pdb.maxUnavailable | ternary "1" $most }}
{{- end -}}
{{- end }}
