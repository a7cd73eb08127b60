import { AlertText } from '../../components/ui/field.tsx'
import { errorMessage } from '../../lib/http.ts'

interface FormProblemProps {
  /** Why the server rejected the form; null if it did not. */
  error: Error | null
  /** The number of fields with an error of their own. */
  fields: number
}

/** Why a form was not accepted, beside its button: the toast passes. */
export function FormProblem({ error, fields }: FormProblemProps) {
  if (error) return <AlertText>{errorMessage(error)}</AlertText>
  if (fields === 0) return null
  return <AlertText>{fields === 1 ? 'Please check the marked field.' : 'Please check the marked fields.'}</AlertText>
}
