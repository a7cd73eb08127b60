import { AlertText } from '../../components/ui/field.tsx'
import { errorMessage } from '../../lib/http.ts'

/** Why the server, or this number of fields, did not accept a form: beside its button, since the toast passes. */
export function FormProblem({ error, fields }: { error: Error | null; fields: number }) {
  if (error) return <AlertText>{errorMessage(error)}</AlertText>
  if (fields === 0) return null
  return <AlertText>{fields === 1 ? 'Please check the marked field.' : 'Please check the marked fields.'}</AlertText>
}
