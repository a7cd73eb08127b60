import type { Value } from './values.ts'

/** The chart's values as Markdown: a table for what stands alone, then one for each section. */
export function valuesTable(values: Value[]): string {
  const alone = values.filter((value) => value.children.length === 0)
  const sections = values.filter((value) => value.children.length > 0)
  return [table(alone), ...sections.map(section)].join('\n\n')
}

function section(value: Value): string {
  const text = meaning(value)
  return [`### ${value.key}`, ...(text ? [text] : []), table(rows(value))].join('\n\n')
}

/** A map with a description of its own is told as one; so is a component, which only has what differs from the defaults. */
function rows(section: Value): Value[] {
  if (section.key === 'components') return section.children
  return section.children.flatMap((value) => (value.children.length > 0 && !value.description ? rows(value) : [value]))
}

function table(values: Value[]): string {
  const lines = values.map(
    (value) => `| ${[code(value.path), code(JSON.stringify(value.default)), meaning(value)].join(' | ')} |`,
  )
  return ['| value | default | meaning |', '| --- | --- | --- |', ...lines].join('\n')
}

function meaning({ description, note }: Value): string {
  return (description || note).replaceAll('|', '\\|')
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}
