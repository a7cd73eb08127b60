import { MINIO_CREDENTIALS, startVersityGw } from '@skyfolio/testkit'
import { s3Backend, testObjectStore } from '../object-store-contract.ts'
import { testParts } from '../object-store-parts-contract.ts'
import { testSignedParts } from '../signed-parts-contract.ts'

const open = () => s3Backend(startVersityGw())

testObjectStore('S3 (versitygw)', open)
testParts('S3 (versitygw)', open)
// It knows no temporary credentials.
testSignedParts('versitygw, a key for uploads', startVersityGw, {
  s3UploadAccessKey: MINIO_CREDENTIALS.accessKey,
  s3UploadSecretKey: MINIO_CREDENTIALS.secretKey,
})
