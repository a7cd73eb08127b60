import { ChevronRight } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Content, OpenApiDocument } from '../../api/open-api.ts'
import { Badge } from '../../components/ui/badge.tsx'
import type { Operation } from './operations.ts'
import { Prose } from './prose.tsx'
import { Fact, SchemaView } from './schema-view.tsx'
import { typeOf } from './schemas.ts'

const TONES = { GET: 'accent', POST: 'good', PUT: 'warn', PATCH: 'warn', DELETE: 'danger' } as const

interface OperationViewProps {
  operation: Operation
  document: OpenApiDocument
  /** The address names it. */
  linked: boolean
}

/** One operation: a line that opens to its parameters, body and responses. */
export function OperationView({ operation, document, linked }: OperationViewProps) {
  const { id, method, path, summary } = operation
  const element = useRef<HTMLDetailsElement>(null)
  // The contents of all operations would be thousands of elements.
  const [open, setOpen] = useState(linked)
  useEffect(() => {
    if (!linked) return
    setOpen(true)
    element.current?.scrollIntoView()
  }, [linked])
  return (
    <details
      ref={element}
      id={id}
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="group scroll-mt-20 rounded-md bg-surface ring ring-line"
    >
      <summary className="flex min-h-11 cursor-pointer items-start gap-x-3 gap-y-1 rounded-md px-3 py-2.5 hover:bg-sunken/60 sm:px-4 [&::-webkit-details-marker]:hidden">
        <span className="w-16 shrink-0">
          <Badge tone={TONES[method as keyof typeof TONES]}>{method}</Badge>
        </span>
        <span className="min-w-0 flex-1">
          <code className="font-mono text-sm font-semibold wrap-anywhere">{path}</code>
          <span className="block text-sm text-pretty text-muted">{summary}</span>
        </span>
        <ChevronRight aria-hidden className="size-5 shrink-0 text-muted transition group-open:rotate-90" />
      </summary>
      {open && <Contents operation={operation} document={document} />}
    </details>
  )
}

function Contents({ operation, document }: Pick<OperationViewProps, 'operation' | 'document'>) {
  const { id, description, parameters = [], requestBody, responses } = operation
  return (
    <div className="grid gap-4 border-t border-line px-3 py-4 sm:px-4">
      {description && <Prose text={description} />}
      {parameters.length > 0 && (
        <Part title="Parameters">
          <ul className="grid gap-2">
            {parameters.map(({ name, in: place, required = false, schema = {}, description }) => (
              <li key={`${place} ${name}`}>
                <Fact {...{ name, place, required, schema, document, description }} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {requestBody && (
        <Part title={requestBody.required ? 'Body' : 'Body (optional)'}>
          <Bodies content={requestBody.content} document={document} />
        </Part>
      )}
      <Part title="Responses">
        <ul className="grid gap-3">
          {Object.entries(responses).map(([status, { description, content }]) => (
            <li key={status} className="grid gap-1.5">
              <p className="text-sm">
                <strong className="font-mono">{status}</strong> <span className="text-muted">{description}</span>
              </p>
              {content && <Bodies content={content} document={document} />}
            </li>
          ))}
        </ul>
      </Part>
      <a href={`#${id}`} className="w-fit text-sm font-medium text-accent hover:underline">
        Link to this operation
      </a>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-2">
      <h3 className="text-sm font-semibold">{title}</h3>
      {children}
    </section>
  )
}

function Bodies({ content, document }: { content: Content; document: OpenApiDocument }) {
  return Object.entries(content).map(([type, { schema = {} }]) => (
    <div key={type} className="grid gap-1.5">
      <p className="text-sm text-muted">
        <code className="font-mono">{type}</code>, {typeOf(schema, document)}
      </p>
      <SchemaView schema={schema} document={document} />
    </div>
  ))
}
