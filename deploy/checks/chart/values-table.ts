import type { ChartValue } from './values.ts'

/** Formats the chart's values that have a sentence as one Markdown table; a row introduces each section. */
export function valuesTable(values: ChartValue[]): string {
  const topLevel = values.filter((value) => value.children.length === 0)
  const sections = values.filter((value) => value.children.length > 0)
  return [
    '| value | default | meaning |',
    '| --- | --- | --- |',
    ...topLevel.filter(hasMeaning).map(row),
    ...sections.flatMap((section) => [...introduction(section), ...rows(section).map(row)]),
  ].join('\n')
}

function introduction(section: ChartValue): string[] {
  return hasMeaning(section) ? [`| **${section.key}** | | ${meaning(section)} |`] : []
}

/** The described values of a section; a map with a description is one row. Components only override their defaults. */
function rows(section: ChartValue): ChartValue[] {
  if (section.key === 'components') return []
  return section.children.flatMap((value) => {
    if (value.children.length > 0 && !value.description) return rows(value)
    return hasMeaning(value) ? [value] : []
  })
}

function row(value: ChartValue): string {
  return `| ${[code(value.path), code(JSON.stringify(value.default)), meaning(value)].join(' | ')} |`
}

function hasMeaning(value: ChartValue): boolean {
  return meaning(value) !== ''
}

function meaning({ description, note }: ChartValue): string {
  return (description || note).replaceAll('|', '\\|')
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}
