/** What the voting page of a contest needs at once, in one file. */
export { Invitation } from './invitation.tsx'
export { VotingNote } from './voting-note.tsx'
