import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { passwordPrompt } from '../../api/guarded-mutation.ts'
import { userQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, Input } from '../../components/ui/field.tsx'
import { Spinner } from '../../components/ui/loading.tsx'
import { ApiError, errorMessage } from '../../lib/http.ts'
import { useStore } from '../../lib/store.ts'

/** Asks for the user's own password, before an action that the server lets nobody do from a session left open. */
export function PasswordDialog() {
  const prompt = useStore(passwordPrompt)
  useEffect(() => () => passwordPrompt.get()?.close(false), [])
  return prompt && <Prompt close={prompt.close} />
}

function Prompt({ close }: { close: (confirmed: boolean) => void }) {
  const { data: user } = useQuery(userQuery)
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [error, setError] = useState<string>()
  const confirm = useMutation({
    mutationFn: (password: string) => api('post', '/api/user/confirm-password', { body: { password } }),
    onSuccess: () => close(true),
    onError: (failure) => {
      setError((failure instanceof ApiError && failure.body?.fields?.password) || errorMessage(failure))
      input.current?.select()
    },
  })
  const busy = confirm.isPending

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (busy) return
    const password = input.current?.value ?? ''
    setError(password === '' ? 'Password is required' : undefined)
    if (password !== '') confirm.mutate(password)
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close(false)}
      title="Confirm your password"
      description="What administrators change for others needs your own password from time to time. What you were doing continues afterwards."
      footer={
        <>
          <Button onClick={() => close(false)}>Cancel</Button>
          {/* Not `disabled`: it would lose the focus. */}
          <Button variant="primary" type="submit" form={id} aria-disabled={busy} aria-busy={busy}>
            {busy && <Spinner className="text-current" />}
            <span>Confirm</span>
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={submit}>
        {/* Tells password managers whose password it is. */}
        <input type="text" autoComplete="username" value={user?.username ?? ''} readOnly hidden />
        <Field label="Your password" error={error}>
          {(control) => (
            <Input
              {...control}
              ref={input}
              data-autofocus
              type="password"
              name="password"
              autoComplete="current-password"
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
}
