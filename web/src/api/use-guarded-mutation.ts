import { useMutation } from '@tanstack/react-query'
import { PasswordNotConfirmed, withPassword } from './password-prompt.ts'

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
