import { type ComponentProps, useRef } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../components/ui/button.tsx'
import { AlertText, Field, Input } from '../../components/ui/field.tsx'
import { errorMessage } from '../../lib/http.ts'

interface PasswordFieldProps extends ComponentProps<'input'> {
  error: string | undefined
  shown: boolean
  onShown: (shown: boolean) => void
}

/** A password with a button that shows it. The focus stays where it was, and so does the caret. */
export function PasswordField({ error, shown, onShown, ...input }: PasswordFieldProps) {
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
    <Field label="Password" error={error}>
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

/** Why the server, or this number of fields, did not accept a form: beside its button, since the toast passes. */
export function FormProblem({ error, fields }: { error: Error | null; fields: number }) {
  if (error) return <AlertText>{errorMessage(error)}</AlertText>
  if (fields === 0) return null
  return <AlertText>{fields === 1 ? 'Please check the marked field.' : 'Please check the marked fields.'}</AlertText>
}
