export { ConfirmEmailScreen as default } from '../features/account/email-link-confirm.tsx'
