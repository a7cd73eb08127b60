import { isDeepStrictEqual } from 'node:util'
import { listValuesFiles, type Manifest, render } from './render.ts'

// Compares what Helm 3 and Helm 4 render for every values file. Exits with 1 when an object differs.

function byName(manifests: Manifest[]): Map<string, Manifest> {
  return new Map(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest]))
}

let differences = 0
for (const file of await listValuesFiles()) {
  const [three, four] = (await Promise.all([
    render({ files: [file], helm: 'helm' }),
    render({ files: [file], helm: 'helm4' }),
  ]).then((both) => both.map(byName))) as [Map<string, Manifest>, Map<string, Manifest>]
  const names = new Set([...three.keys(), ...four.keys()])
  const differing = [...names].filter((name) => !isDeepStrictEqual(three.get(name), four.get(name)))
  differences += differing.length
  console.log(
    `${file}: ${names.size} objects, ${differing.length} differ${differing.map((name) => `\n  ${name}`).join('')}`,
  )
}
process.exitCode = differences > 0 ? 1 : 0
