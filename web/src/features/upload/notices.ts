import type { Failure } from './answer.ts'

/** A toast of the upload: its words are the specification's. */
export interface Notice {
  title: string
  description: string
}

/** The notice after processing; `count` photos are stored and processed. */
export function successNotice(count: number): Notice {
  const description =
    count === 1 ? 'Your photo has been uploaded and processed.' : `${count} photos have been uploaded and processed.`
  return { title: 'Upload successful', description }
}

/** The notice for an upload of `count` files that stopped. */
export function failureNotice(failure: Failure, count: number): Notice {
  switch (failure.reason) {
    case 'network':
      return { title: 'Upload failed', description: 'A network error occurred during upload' }
    case 'cancelled':
      return { title: 'Upload cancelled', description: 'The upload was cancelled' }
    case 'unreadable':
      return { title: 'Upload error', description: 'The server response could not be understood' }
    case 'signed-out':
      return { title: 'Upload failed', description: 'Your session has ended. Log in to upload.' }
    case 'server':
      return refusalNotice(failure.message, failure.issues, count)
  }
}

/** The notice when the server stored none of `count` files. */
export function refusalNotice(message: string | null, issues: readonly string[], count: number): Notice {
  const reason = message ?? (count === 1 ? 'Failed to upload photo' : 'Failed to upload photos')
  const sentences = [reason, ...issues.filter((issue) => issue !== reason)]
  // A full stop before a comma would look like a mistake.
  const description = sentences.map((sentence, index) =>
    index < sentences.length - 1 ? sentence.replace(/\.$/, '') : sentence,
  )
  return { title: 'Upload failed', description: description.join(', ') }
}
