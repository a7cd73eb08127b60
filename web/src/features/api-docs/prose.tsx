/** A description of the document: paragraphs, lists and code, which is all of Markdown that the services use. */
export function Prose({ text }: { text: string }) {
  return (
    <div className="grid max-w-[72ch] gap-2 text-pretty wrap-anywhere">
      {text.split(/\n{2,}/).map((block) =>
        block.startsWith('- ') ? (
          <ul key={block} className="list-disc pl-5 marker:text-muted">
            {block.split(/\n(?=- )/).map((line) => (
              <li key={line}>
                <Line text={line.slice(2)} />
              </li>
            ))}
          </ul>
        ) : (
          <p key={block}>
            <Line text={block} />
          </p>
        ),
      )}
    </div>
  )
}

/** Every second part of a text split by backticks is code. */
export function Line({ text }: { text: string }) {
  return text.split('`').map((part, index) => {
    const key = `${index} ${part}`
    return index % 2 === 1 ? (
      <code key={key} className="rounded-sm bg-sunken px-1 font-mono text-sm text-text">
        {part}
      </code>
    ) : (
      <span key={key}>{part}</span>
    )
  })
}
