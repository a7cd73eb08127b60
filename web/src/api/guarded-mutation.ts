import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../lib/http.ts'
import { createStore } from '../lib/store.ts'

export interface GuardedMutation<Data, Variables> {
  run: (variables: Variables) => Promise<Data>
  onSuccess?: (data: Data, variables: Variables) => void
  onError?: (error: Error, variables: Variables) => void
  onSettled?: () => void
}

/**
 * A mutation for which the server may demand the password first: it is asked for, and the mutation is repeated. One that
 * was given up at that question has not failed: `onError` is not called, and `failure` is null.
 */
export function useGuardedMutation<Data, Variables = void>(guarded: GuardedMutation<Data, Variables>) {
  const { run, onSuccess, onError, onSettled } = guarded
  const mutation = useMutation<Data, Error, Variables>({
    mutationFn: (variables) => withPassword(() => run(variables)),
    onSuccess: (data, variables) => onSuccess?.(data, variables),
    onError: (error, variables) => {
      if (!(error instanceof PasswordNotConfirmed)) onError?.(error, variables)
    },
    onSettled: () => onSettled?.(),
  })
  return { ...mutation, failure: mutation.error instanceof PasswordNotConfirmed ? null : mutation.error }
}

/** The user closed the dialog that asks for the password: nothing was changed, and no message is needed. */
export class PasswordNotConfirmed extends Error {}

interface PasswordPrompt {
  /** Resolved with true when the server has accepted the password, with false when the user cancels. */
  confirmed: Promise<boolean>
  close: (confirmed: boolean) => void
}

/** The open question for the user's password. */
export const passwordPrompt = createStore<PasswordPrompt | null>(null)

/**
 * Carries out an action. If the server demands the user's password first, as it does of administrators who act on what belongs
 * to others, it is asked for, and the action is repeated. @throws PasswordNotConfirmed when the user cancels
 */
export async function withPassword<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (!needsPassword(error)) throw error
    if (!(await askPassword().confirmed)) throw new PasswordNotConfirmed()
    return action()
  }
}

function needsPassword(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && error.body?.code === 'password_required'
}

function askPassword(): PasswordPrompt {
  const open = passwordPrompt.get()
  if (open) return open
  let close = (_confirmed: boolean) => {}
  const confirmed = new Promise<boolean>((resolve) => {
    close = (answer) => {
      passwordPrompt.set(null)
      resolve(answer)
    }
  })
  const prompt = { confirmed, close }
  passwordPrompt.set(prompt)
  return prompt
}
