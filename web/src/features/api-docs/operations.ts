import type { OpenApiDocument, OpenApiOperation } from '../../api/open-api.ts'

/** One method of one path. */
export interface Operation extends OpenApiOperation {
  /** Of the page's element: 'post-api-photos-id-rank'. */
  id: string
  /** In upper case. */
  method: string
  path: string
  tag: string
}

/** All operations, in the order of the document. */
export function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      id: `${method}${path.replaceAll(/\W+/g, '-')}`.replace(/-$/, ''),
      method: method.toUpperCase(),
      path,
      tag: operation.tags?.[0] ?? 'Other',
    })),
  )
}

/** The operations that contain all words of the search in method, path, texts or parameters, regardless of case. */
export function searchOperations(operations: readonly Operation[], search: string): Operation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return operations.filter(({ method, path, tag, summary, description, parameters = [] }) => {
    const names = parameters.map(({ name }) => name)
    const text = [method, path, tag, summary, description, ...names].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
