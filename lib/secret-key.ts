/**
 * The key for `writeOnly` answers, credentials and the codes of callback addresses, made once and kept outside the table
 * (aws/secret-cipher.ts). Functions are told where it lies and read it when they need it first (functions/key-settings.ts):
 * in their settings it would be shown to whoever may look at a function.
 */
import { type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';

/** Letters and digits read as base64: 43 of them are 32 bytes. */
const KEY_CHARACTERS = 43;

export class SecretKey extends Construct {
  readonly secret: ISecret;

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
    this.secret = secret as ISecret;
  }
}
