import { type ComponentProps, useRef } from 'react'
import { flushSync } from 'react-dom'
import { Button } from './button.tsx'
import { Field, Input } from './field.tsx'

interface PasswordFieldProps extends Omit<ComponentProps<typeof Field>, 'children' | 'label'>, ComponentProps<'input'> {
  label?: string
  shown: boolean
  onShown: (shown: boolean) => void
}

/** A password with a button that shows it. The focus stays where it was, and so does the caret. */
export function PasswordField(props: PasswordFieldProps) {
  const { label = 'Password', hint, error, optional, shown, onShown, ...input } = props
  const box = useRef<HTMLDivElement>(null)

  function toggle(): void {
    const input = box.current?.querySelector('input')
    if (!input) return
    const { selectionStart, selectionEnd } = input
    flushSync(() => onShown(!shown))
    // Browsers may move the caret when the type of a field changes. Elsewhere, setting it could take the focus.
    if (input === document.activeElement) input.setSelectionRange(selectionStart, selectionEnd)
  }

  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {(control) => (
        <div ref={box} className="relative">
          <Input
            {...control}
            {...input}
            type={shown ? 'text' : 'password'}
            autoCapitalize="none"
            spellCheck={false}
            className="pr-20"
          />
          <Button
            variant="quiet"
            size="small"
            aria-pressed={shown}
            onMouseDown={(event) => event.preventDefault()}
            onClick={toggle}
            className="absolute top-0 right-0 aria-pressed:text-accent sm:top-1 sm:right-1"
          >
            <span>
              Show <span className="sr-only">password</span>
            </span>
          </Button>
        </div>
      )}
    </Field>
  )
}
