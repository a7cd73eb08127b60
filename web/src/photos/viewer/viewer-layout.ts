// A photo's dialog fills the window: the picture, and its details below or beside it.

export const DIALOG = 'fixed inset-0 flex flex-col bg-surface outline-none animate-appear'
export const PICTURE = 'h-[46dvh] shrink-0 beside:h-auto beside:min-w-0 beside:flex-1 beside:shrink'
export const DETAILS = 'flex min-h-0 flex-1 flex-col beside:w-[min(400px,46vw)] beside:flex-none'
