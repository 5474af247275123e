/**
 * The key for `writeOnly` answers and for the credentials of push notifications, made once and kept outside the table
 * (aws/secret-cipher.ts). Functions get it in their environment, which Lambda encrypts; it never stands in the template.
 */
import { type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';

/** Letters and digits read as base64: 43 of them are 32 bytes. */
const KEY_CHARACTERS = 43;

export class SecretKey extends Construct {
  /** Resolved by CloudFormation at deployment. */
  readonly value: string;

  constructor(scope: Construct, id: string, { removalPolicy }: { readonly removalPolicy: RemovalPolicy }) {
    super(scope, id);
    const secret = new Secret(this, 'Secret', {
      description: 'Encrypts writeOnly answers and credentials of push notifications',
      generateSecretString: { passwordLength: KEY_CHARACTERS, excludePunctuation: true },
      removalPolicy,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'What was sealed with the old key could not be read any more; all of it is deleted with its task.',
    });
    this.value = secret.secretValue.unsafeUnwrap();
  }
}
