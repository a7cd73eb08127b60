import type { ChartValue } from './values.ts'

/** Formats the chart's values as Markdown: one table for top-level values, then one per section. */
export function valuesTable(values: ChartValue[]): string {
  const topLevel = values.filter((value) => value.children.length === 0)
  const sections = values.filter((value) => value.children.length > 0)
  return [table(topLevel), ...sections.map(section)].join('\n\n')
}

function section(value: ChartValue): string {
  const text = meaning(value)
  return [`### ${value.key}`, ...(text ? [text] : []), table(rows(value))].join('\n\n')
}

/** A map with its own description is one row; so is a component, which only has what differs from the defaults. */
function rows(section: ChartValue): ChartValue[] {
  if (section.key === 'components') return section.children
  return section.children.flatMap((value) => (value.children.length > 0 && !value.description ? rows(value) : [value]))
}

function table(values: ChartValue[]): string {
  const lines = values.map(
    (value) => `| ${[code(value.path), code(JSON.stringify(value.default)), meaning(value)].join(' | ')} |`,
  )
  return ['| value | default | meaning |', '| --- | --- | --- |', ...lines].join('\n')
}

function meaning({ description, note }: ChartValue): string {
  return (description || note).replaceAll('|', '\\|')
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}
