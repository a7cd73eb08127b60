import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../local/paths.ts'

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

interface Link {
  path: string
  anchor: string | undefined
}

function localLinks(document: string): Link[] {
  const links = readFileSync(join(root, document), 'utf8').matchAll(
    /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g,
  )
  return [...links].map(([, path, anchor]) => ({ path: path ? join(dirname(document), path) : document, anchor }))
}

/** Anchors of a document's headings as GitHub makes them. */
function anchorsOf(document: string): string[] {
  const headings = readFileSync(join(root, document), 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test.each(documents)('the links of %s lead to files and headings that exist', (document) => {
  const broken = localLinks(document).filter(({ path, anchor }) => {
    if (!existsSync(join(root, path))) return true
    return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).includes(anchor)
  })
  expect(broken).toEqual([])
})

test('docs/security.md names only files that exist, and every file of attacks', () => {
  const text = readFileSync(join(root, 'docs/security.md'), 'utf8')
  const named = [...text.matchAll(/`((?:deploy|services|gateway|web)\/[\w./-]+\.tsx?)`/g)].map(([, path]) => path ?? '')
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  const list = readFileSync(join(root, 'deploy/attacks/attacks.ts'), 'utf8')
  const files = [...list.matchAll(/from '\.\/([\w-]+\.ts)'/g)].map(([, name]) => `deploy/attacks/${name}`)
  const unnamed = files.filter((path) => !path.endsWith('/attack.ts') && !named.includes(path))
  expect(unnamed).toEqual([])
})
