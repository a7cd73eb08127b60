import { startVersityGw } from '@skyfolio/kit/testing'
import { s3Backend, testObjectStore } from '../object-store-contract.ts'

testObjectStore('S3 (versitygw)', () => s3Backend(startVersityGw()))
