import { useState } from 'react'
import { cx } from '../../lib/cx.ts'

/** About as much as five lines contain. */
const SHORT_LETTERS = 220
const SHORT_LINES = 5

interface DescriptionProps {
  text: string
  className?: string
}

/** A photo's description; a long one is collapsed, so that the actions stay in reach. */
export function Description({ text, className }: DescriptionProps) {
  const [whole, setWhole] = useState(false)
  const long = text.length > SHORT_LETTERS || text.split('\n').length > SHORT_LINES
  return (
    <div className={cx('mt-1', className)}>
      <p className={cx('whitespace-pre-line wrap-anywhere', long && !whole && 'line-clamp-4')}>{text}</p>
      {long && (
        <button
          type="button"
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
          className="min-h-11 font-semibold text-accent hover:underline sm:min-h-7"
        >
          {whole ? 'Show less' : 'Show more'}
        </button>
      )}
    </div>
  )
}
