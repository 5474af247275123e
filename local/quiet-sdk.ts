/** Imported before the AWS SDK: newcomers on Node 20 should not be met by its warning about coming Node versions. */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
