import { startVersityGw } from '@skyfolio/testkit'
import { s3Backend, testObjectStore } from '../object-store-contract.ts'

testObjectStore('S3 (versitygw)', () => s3Backend(startVersityGw()))
