import { findObject, type Manifest } from '../../checks/chart/render.ts'

/** The variables of a component's container: plain values, and the Secret's name and key for the others. */
export function environment(manifests: Manifest[], component: string): Record<string, string> {
  const { spec } = findObject(manifests, 'Deployment', `sky-skyfolio-${component}`).spec.template
  return variablesOf(spec.containers[0])
}

/** The same of any container. */
export function variablesOf(container: Manifest): Record<string, string> {
  const variables: Manifest[] = container.env
  return Object.fromEntries(
    variables.map(({ name, value, valueFrom }) => {
      const { name: secret, key } = valueFrom?.secretKeyRef ?? {}
      return [name, value ?? `${secret} ${key}`]
    }),
  )
}
