export { RevertEmailScreen as default } from '../features/account/email-link-revert.tsx'
